"""In how many ways k disjoint pairs can be dealt: the k-matchings of a weighted graph, counted without listing them.

Vertices are cards; the weight A_uv of an edge is what the pair {u, v} counts for, and A_uu = 0. The matching count
M_k sums, over all sets of k pairs that share no card, the product of their weights. Five pairs of 45 cards make
3 * 10^12 such sets. The linked-cluster (Mayer) expansion needs only sums over cards that are free to coincide,
because "each card at most once" is a generating function, 1 + h = exp(log(1 + h)):

    sum over k of M_k t^k = exp(sum over n of c_n t^n)
    c_n = sum over connected multigraphs H with n edges of hom(H, A) * product over v of w(deg v) / |Aut H|

with w(d) = (-1)^(d-1) (d-1)! and hom(H, A) the sum over all maps of H's vertices to cards of the product of A along
H's edges. Up to five edges there are 53 such H, but all save 16 only hang trees on others. Trees are absorbed, as in
Bethe's approximation: with y_v = t * sum over u of A_uv z_u and z = 1 / (1 + y), the trees alone sum to
n c_n = -1/2 * sum over v of [t^n] z_v, and every edge of the other graphs becomes t A_uv z_u z_v. These others have
no vertex of degree one: cycles, bundles of parallel edges, and what joins them. Below, p_n = n c_n is written out
order by order; then k M_k = sum over n of p_n M_(k-n), Newton's identity.

In the formulas z[i] is the coefficient of t^i in z, Ak the matrix of the k-th powers of A's entries and d[k] its row
sums, and P = A A, R = A A A, Q = A A2 are matrix products.

Cards that are alike form a class, and a matrix between classes stands for the one between cards: entry (a, b) holds
for each card of class a with each *other* card of class b. `others[a, b]` is the number of these other cards.

For whole weights up to 3 and decks up to 45 cards, every number here is a multiple of 1/2 below 2^52. Floats hold
such numbers exactly, so sums may be taken in any order: `fastmath` lets them be vectorised and changes no result.
"""

from typing import Any, Final

import numpy as np
from numba import njit

MAX_PAIRS: Final = 5


@njit(cache=True, nogil=True)
def count_matchings(weights: Any, sizes: Any, counts: Any) -> None:
    """Fill `counts` (int64) with M_0, M_1, ... as far as it is long, at most to M_5.

    `weights` (classes, classes) is symmetric: what a card of one class counts for with another card of the other;
    `sizes` (classes,) are the numbers of cards. Both hold whole numbers as float64.
    """
    clusters = _clusters(weights, sizes, counts.shape[0] - 1)
    counts[0] = 1
    for k in range(1, counts.shape[0]):
        total = 0
        for n in range(1, k + 1):
            total += clusters[n] * counts[k - n]
        counts[k] = total // k


@njit(cache=True, fastmath=True)
def _clusters(weights: Any, sizes: Any, pairs: int) -> Any:
    """p_1 ... p_pairs (int64, from index 1). No order computes what only higher ones need."""
    clusters = np.zeros(MAX_PAIRS + 1, dtype=np.int64)
    others = np.empty_like(weights)
    for a in range(sizes.shape[0]):
        others[a] = sizes
        others[a, a] -= 1.0
    z = _trees(weights, others, pairs)
    clusters[1] = _over_cards(sizes, -0.5 * z[1])
    if pairs >= 2:
        d = _degrees(weights, others, pairs)
        clusters[2] = _over_cards(sizes, 0.5 * (d[2] - z[2]))
    if pairs >= 3:
        paths = _product(weights, weights, sizes)
        rows = _path_sums(weights, others, paths, z[1], d[2])
        clusters[3] = _over_cards(sizes, d[3] + 3 * z[1] * d[2] - 0.5 * (z[3] + rows[0]))
        if pairs >= 4:
            clusters[4] = _over_cards(sizes, _order_4(z, d, rows))
        if pairs >= 5:
            joined = _order_5_pairs(weights, others, sizes, paths, z[1], d[2])
            clusters[5] = _over_cards(sizes, _order_5(z, d, rows) + joined)
    return clusters


@njit(cache=True, fastmath=True)
def _over_cards(sizes: Any, values: Any) -> int:
    """The sum over all cards of a value per class."""
    return int((sizes * values).sum())


@njit(cache=True, fastmath=True)
def _product(left: Any, right: Any, sizes: Any) -> Any:
    """The product of two matrices without diagonal, between different cards; `right` is symmetric.

    The sum over all cards in between includes the two ends, whose entries count for nothing and are taken out.
    """
    classes = sizes.shape[0]
    product, row = np.empty((classes, classes)), np.empty(classes)
    for a in range(classes):
        for c in range(classes):
            row[c] = sizes[c] * left[a, c]
        row[a] -= left[a, a]
        for b in range(classes):
            total = -left[a, b] * right[b, b]
            for c in range(classes):
                total += row[c] * right[b, c]
            product[a, b] = total
    return product


@njit(cache=True, fastmath=True)
def _trees(weights: Any, others: Any, pairs: int) -> Any:
    """z: row i holds the coefficients of t^i, from y_i = A z_(i-1) and (1 + y) z = 1."""
    classes = weights.shape[0]
    z, y = np.zeros((MAX_PAIRS + 1, classes)), np.zeros((MAX_PAIRS + 1, classes))
    z[0] = 1.0
    for i in range(1, pairs + 1):
        for a in range(classes):
            total = 0.0
            for b in range(classes):
                total += others[a, b] * weights[a, b] * z[i - 1, b]
            y[i, a] = total
            for j in range(1, i + 1):
                z[i, a] -= y[j, a] * z[i - j, a]
    return z


@njit(cache=True, fastmath=True)
def _degrees(weights: Any, others: Any, pairs: int) -> Any:
    """d: row k holds the sums over the other cards of the k-th powers of the weights, k = 2 ... 5."""
    degrees = np.zeros((MAX_PAIRS + 1, weights.shape[0]))
    for a in range(weights.shape[0]):
        second = third = fourth = fifth = 0.0
        for b in range(weights.shape[0]):
            w = weights[a, b]
            term = others[a, b] * w * w
            second += term
            third += term * w
            fourth += term * w * w
            fifth += term * w * w * w
        degrees[2, a], degrees[3, a], degrees[4, a], degrees[5, a] = second, third, fourth, fifth
    return degrees


@njit(cache=True, fastmath=True)
def _path_sums(weights: Any, others: Any, paths: Any, z_1: Any, d_2: Any) -> Any:
    """Four sums over each card's row: triangles A P, squares P P, triangles with an edge twice A2 P, and A2 z_1."""
    rows = np.empty((4, weights.shape[0]))
    for a in range(weights.shape[0]):
        triangles, squares, doubled, neighbours = 0.0, d_2[a] * d_2[a], 0.0, 0.0
        for b in range(weights.shape[0]):
            n, w, p = others[a, b], weights[a, b], paths[a, b]
            triangles += n * w * p
            squares += n * p * p
            doubled += n * w * w * p
            neighbours += n * w * w * z_1[b]
        rows[0, a], rows[1, a], rows[2, a], rows[3, a] = triangles, squares, doubled, neighbours
    return rows


@njit(cache=True, fastmath=True)
def _order_4(z: Any, d: Any, rows: Any) -> Any:
    """The parts of p_4, card by card; `rows` are those of `_path_sums`."""
    triangles, squares, doubled, neighbours = rows[0], rows[1], rows[2], rows[3]
    edges = 2 * (2 * z[2] + z[1] * z[1]) * d[2] + 4 * z[1] * neighbours
    cycles = 0.5 * squares - 4 * z[1] * triangles
    return edges + cycles + 8 * z[1] * d[3] + 3 * d[4] - 3 * d[2] * d[2] - 4 * doubled - 0.5 * z[4]


@njit(cache=True, fastmath=True)
def _order_5(z: Any, d: Any, rows: Any) -> Any:
    """The parts of p_5 that are products of values of one card."""
    triangles, squares, doubled, neighbours = rows[0], rows[1], rows[2], rows[3]
    squared_2, squared_3 = 2 * z[2] + z[1] * z[1], 2 * (z[3] + z[1] * z[2])
    edges = 2.5 * squared_3 * d[2] + 5 * squared_2 * neighbours
    cycles = 5 * z[1] * squares - 2.5 * squared_2 * triangles
    bundles = 10 * (z[2] + z[1] * z[1]) * d[3] + 30 * z[1] * d[4] + 12 * d[5] - 30 * z[1] * doubled
    joined = 7.5 * d[2] * triangles - 20 * d[2] * d[3] - 15 * d[2] * (z[1] * d[2] + neighbours)
    return edges + cycles + bundles + joined - 0.5 * z[5]


@njit(cache=True, fastmath=True)
def _order_5_pairs(weights: Any, others: Any, sizes: Any, paths: Any, z_1: Any, d_2: Any) -> Any:
    """The parts of p_5 that are sums over pairs of cards, added up for the first card."""
    # A A A = A (P with its diagonal d_2): the diagonal gives A times d_2 of the far end.
    longer, crossed = _product(weights, paths, sizes), _product(weights, weights * weights, sizes)
    result = np.empty(sizes.shape[0])
    for a in range(sizes.shape[0]):
        total = 0.0
        for b in range(sizes.shape[0]):
            w, p, q = weights[a, b], paths[a, b], crossed[a, b]
            r = longer[a, b] + w * d_2[b]
            cycle = 0.5 * p * (r + w * d_2[a])
            bundled = 5 * w * (p * p + w * r) - 15 * w * w * (w * p + q) - 10 * z_1[a] * w * q
            hung = 5 * z_1[a] * z_1[b] * w * (3 * w * w - 2 * p) + 2.5 * w * d_2[a] * d_2[b]
            total += others[a, b] * (bundled + hung - cycle)
        result[a] = total
    return result
