// The flame graph: a tree of names whose widths are times; a click fills the width with one of them.
const drawFlames = block => {
  const { names, parent, total } = block, children = names.map(() => []), depth = new Uint16Array(names.length);
  for (let i = 1; i < names.length; ++i) { children[parent[i]].push(i); depth[i] = depth[parent[i]] + 1; }
  for (const list of children) list.sort((a, b) => total[b] - total[a]);
  const levels = 1 + depth.reduce((most, d) => Math.max(most, d), 0), kRow = 18;
  let root = 0, pattern = '', boxes = [], rising = false;  // a flame graph rises from its root; an icicle hangs from it
  const said = make('p', { class: 'details', 'aria-live': 'polite' });
  const describe = i => {
    const path = [];
    for (let k = i; ; k = parent[k]) { path.unshift(names[k]); if (k === 0) break; }
    said.textContent = `${path.join(' › ')}: ${formatNs(total[i])}, ${formatShare(total[i] / total[0])} of all`;
  };

  const canvas = makeCanvas(block.title, (context, width, height) => {
    context.font = '12px system-ui, sans-serif';
    boxes = [];
    const box = (i, x, w, down) => {
      if (w < 0.5) return;
      const y = rising ? height - kRow - down : down;
      const matches = !pattern || names[i].toLowerCase().includes(pattern);
      const colour = matches ? nameColour(names[i]) : cssColour('--faint');
      context.fillStyle = colour;
      context.fillRect(x, y, Math.max(w - 0.5, 0.5), kRow - 1);
      boxes.push([i, x, w, y]);
      if (w > 28) { context.fillStyle = textOn(context, colour); context.fillText(fitText(context, names[i], w - 6), x + 3, y + 12.5); }
    };
    const below = (i, x, w, y) => {
      box(i, x, w, y);
      let at = x;
      for (const child of children[i]) {
        const share = w * total[child] / total[i];
        if (share >= 0.5) below(child, at, share, y + kRow);
        at += share;
      }
    };
    const above = [];
    for (let k = root; k !== 0; k = parent[k]) above.unshift(parent[k]);
    above.forEach((i, row) => box(i, 0, width, row * kRow));
    below(root, 0, width, above.length * kRow);
  });
  canvas.style.height = `${Math.min(levels, 60) * kRow + 4}px`;
  const at = event => boxes.find(([, x, w, y]) => event.offsetX >= x && event.offsetX < x + w && event.offsetY >= y &&
      event.offsetY < y + kRow)?.[0];
  const go = i => { root = i; describe(i); canvas.redraw(); };
  canvas.addEventListener('pointermove', event => { const i = at(event); if (i !== undefined) { canvas.title = names[i]; describe(i); } });
  canvas.addEventListener('click', event => { const i = at(event); if (i !== undefined) go(i); });
  canvas.addEventListener('keydown', event => {
    const siblings = children[parent[root]] || [], k = siblings.indexOf(root);
    const inwards = children[root][0], outwards = parent[root];
    const next = { ArrowDown: rising ? outwards : inwards, ArrowUp: rising ? inwards : outwards, ArrowRight: siblings[k + 1], ArrowLeft: siblings[k - 1],
      Escape: 0, 0: 0 }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    go(next);
  });
  const filter = make('input', { type: 'search', placeholder: 'Search frames', 'aria-label': `Search ${block.title}`,
    oninput: event => { pattern = event.target.value.toLowerCase(); canvas.redraw(); } });
  return make('section', { class: 'block flames' }, make('div', { class: 'bar' }, heading(block.title), filter,
      make('button', { text: 'Root below', 'aria-pressed': 'false', title: 'Draw the root at the bottom, as flame graphs do', onclick: event => {
        rising = !rising;
        event.target.setAttribute('aria-pressed', String(rising));
        canvas.redraw();
      } }),
      make('button', { text: 'All', onclick: () => go(0) })), canvas, said,
      make('p', { class: 'note', text: 'Click a frame to fill the width with it. Keys: arrows move through the tree, 0 shows all.' }));
};
