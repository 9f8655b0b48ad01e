// A table of the journal. Every text is interpolated, so that whatever it holds is read and never run.
export default {
  template: `
    <div class="wide">
      <table class="records" :aria-label="label">
        <thead>
          <tr><th v-for="head in headings" scope="col" dir="auto" :class="head.classes">{{ head.text }}</th></tr>
        </thead>
        <tbody>
          <tr v-for="row in rows" :class="{ marked: row.marked }">
            <th v-if="row.across" class="across" scope="rowgroup" dir="auto" :colspan="headings.length">{{ row.across }}</th>
            <td v-else v-for="cell in row.cells" dir="auto" :class="cell.classes">
              <a v-if="cell.href" :href="cell.href">{{ cell.text }}</a>
              <span v-else-if="cell.cards" class="cards small-cards">
                <span v-for="card in cell.cards" :class="['card', card.suit]">{{ card.text }}</span>
              </span>
              <template v-else>{{ cell.text }}</template>
            </td>
          </tr>
        </tbody>
      </table>
    </div>`,
  props: { label: String, headings: Array, rows: Array },
};
