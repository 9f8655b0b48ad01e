// What the browser does by itself: colours, keys that press buttons, and arrow keys inside grids of buttons.
(() => {
  const THEMES = { auto: null, light: false, dark: true };
  const chosen = () => (localStorage.getItem("theme") in THEMES ? localStorage.getItem("theme") : "auto");
  const paint = () => {
    document.documentElement.dataset.theme = chosen();
    window.setDark?.(THEMES[chosen()]);
  };
  document.documentElement.dataset.theme = chosen();
  addEventListener("load", paint);

  document.addEventListener("click", (event) => {
    if (!event.target.closest?.("[data-theme-switch]")) return;
    const names = Object.keys(THEMES);
    localStorage.setItem("theme", names[(names.indexOf(chosen()) + 1) % names.length]);
    paint();
  });

  // A key belongs to whatever has the focus before it belongs to the page.
  const TYPING = "input, textarea, select, [contenteditable=true], [role=slider], [role=listbox], [role=option], [role=combobox]";
  const PRESSABLE = "button, a, summary, [role=button], [role=switch], [role=checkbox], [role=radio], [role=tab]";
  // The focus stays on a button that has come to rest since it was pressed.
  const isPressable = (found) => found && !found.disabled && found.getAttribute("aria-disabled") !== "true";
  document.addEventListener("keydown", (event) => {
    const at = event.target;
    if (event.ctrlKey || event.metaKey || event.altKey || at.closest?.(TYPING)) return;
    if (event.key === "Enter" && isPressable(at.closest?.(PRESSABLE))) return;
    if (event.key.startsWith("Arrow")) {
      if (at.closest?.("[data-columns]")) return move(event);
    } else if (event.repeat) return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const button = [...document.querySelectorAll(`[data-key~="${CSS.escape(key)}"]`)].find(
      (found) => found.offsetParent !== null && isPressable(found),
    );
    if (!button) return;
    event.preventDefault();
    button.click();
  });

  // One button of a grid can be reached by Tab; the arrow keys go on from there.
  const move = (event) => {
    const grid = event.target.closest("[data-columns]");
    const cells = [...grid.querySelectorAll("button")];
    const columns = Number(grid.dataset.columns);
    const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns, ArrowDown: columns }[event.key];
    const next = cells[cells.indexOf(event.target.closest("button")) + step];
    event.preventDefault();
    if (!next) return;
    for (const cell of cells) cell.tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  };
})();
