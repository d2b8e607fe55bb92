// The interactive part of a flame graph's SVG: style and script, embedded in each file.
#pragma once

namespace warplens::writers {

inline constexpr const char* kFlameStyle =
    "#frames text{pointer-events:none} #frames g:hover rect{stroke:#000;stroke-width:.7} "
    "#search,#reset{cursor:pointer} "
    ".above,.other{opacity:.45}";

// Each box keeps its place at full width in data-x and data-w, its depth in data-d. A click zooms to a box: boxes
// beside it are hidden, boxes below it become as wide as the picture. A search makes all boxes pale but those whose
// names contain its text, or fit it as a regular expression; flames.js says the same.
inline constexpr const char* kFlameScript = R"(
(function () {
  const svg = document.documentElement.viewBox.baseVal, groups = [...document.querySelectorAll('#frames g')];
  const full = svg.width, letter = 6.6, byId = id => document.getElementById(id);
  const titleOf = g => g.querySelector('title').textContent;
  const nameOf = g => titleOf(g).replace(/ \([^()]*\)$/, '');
  function place(g, x, w) {
    const rect = g.querySelector('rect'), text = g.querySelector('text'), name = nameOf(g);
    rect.setAttribute('x', x); rect.setAttribute('width', Math.max(w, 0)); text.setAttribute('x', x + 3);
    const room = Math.floor((w - 6) / letter);
    const head = Math.ceil((room - 1) / 2), tail = name.length - Math.floor((room - 1) / 2);
    text.textContent = room < 3 ? '' : name.length <= room ? name : name.slice(0, head) + '…' + name.slice(tail);
  }
  function zoom(target) {
    const x0 = +target.dataset.x, w0 = +target.dataset.w, depth = +target.dataset.d, scale = full / w0, slack = 1e-3;
    for (const g of groups) {
      const x = +g.dataset.x, w = +g.dataset.w, below = +g.dataset.d < depth;
      const around = below && x <= x0 + slack && x + w >= x0 + w0 - slack;
      const inside = !below && x >= x0 - slack && x + w <= x0 + w0 + slack;
      g.style.display = around || inside ? '' : 'none';
      g.classList.toggle('above', around);
      if (around) place(g, 0, full); else if (inside) place(g, (x - x0) * scale, w * scale);
    }
    byId('reset').setAttribute('visibility', depth > 0 ? 'visible' : 'hidden');
  }
  function search(pattern) {
    let expression = null;
    try { expression = new RegExp(pattern, 'i'); } catch (error) { /* it is text alone */ }
    const text = pattern.toLowerCase(), spans = [];
    for (const g of groups) {
      const name = nameOf(g), hit = name.toLowerCase().includes(text) || (expression !== null && expression.test(name));
      g.classList.toggle('other', pattern !== '' && !hit);
      if (hit) spans.push([+g.dataset.x, +g.dataset.x + +g.dataset.w]);
    }
    spans.sort((a, b) => a[0] - b[0]);
    let covered = 0, end = 0;
    for (const [from, to] of spans) { covered += Math.max(0, to - Math.max(from, end)); end = Math.max(end, to); }
    byId('found').textContent = pattern ? (100 * covered / full).toFixed(1) + ' % of all' : '';
  }
  for (const g of groups) {
    g.addEventListener('click', () => zoom(g));
    g.addEventListener('mouseover', () => { byId('details').textContent = titleOf(g); });
  }
  byId('reset').addEventListener('click', () => zoom(groups[0]));
  byId('search').addEventListener('click', () => search(prompt('Search (text or regular expression):') || ''));
  window.addEventListener('keydown', event => {
    if (event.key === 'Escape') { search(''); zoom(groups[0]); }
  });
})();
)";

}  // namespace warplens::writers
