// The flame graph: a tree of names whose widths are times; a click fills the width with one of them.
const kFrame = 18, kMostFlameRows = 60;

// Which names a search finds: those that contain its text, or fit it as a regular expression. The script of the file says the same.
const flameTest = pattern => {
  let expression = null;
  try { expression = new RegExp(pattern, 'i'); } catch { /* it is text alone */ }
  const text = pattern.toLowerCase();
  return name => name.toLowerCase().includes(text) || (expression !== null && expression.test(name));
};

const drawFlames = block => {
  const { names, parent, total, colour } = block, children = names.map(() => []), depth = new Uint16Array(names.length);
  for (let i = 1; i < names.length; ++i) { children[parent[i]].push(i); depth[i] = depth[parent[i]] + 1; }
  const levels = 1 + depth.reduce((most, d) => Math.max(most, d), 0);
  let root = 0, found = null, boxes = [], rising = false;  // a flame graph rises from its root; an icicle hangs from it
  const colours = () => isDark() ? block.dark : block.light;
  const said = make('p', { class: 'details', 'aria-live': 'polite' }), matched = make('span', { class: 'note', role: 'status' });
  const describe = i => {
    const path = [];
    for (let k = i; ; k = parent[k]) { path.unshift(names[k]); if (k === 0) break; }
    said.textContent = `${path.join(' › ')}: ${formatNs(total[i])}, ${formatShare(total[i] / total[0])} of all`;
  };

  const canvas = makeCanvas(block.title, (context, width, height) => {
    context.font = '12px system-ui, sans-serif';
    boxes = [];
    const own = colours(), faint = cssColour('--faint');
    const box = (i, x, w, down) => {
      const y = rising ? height - kFrame - down : down, fill = !found || found[i] ? own[colour[i]] : faint;
      context.fillStyle = fill;
      context.fillRect(x, y, Math.max(w - 0.5, 0.5), kFrame - 1);
      boxes.push([i, x, w, y]);
      if (w > 28) { context.fillStyle = textOn(context, fill); context.fillText(fitText(context, names[i], w - 6), x + 3, y + 12.5); }
    };
    const below = (i, x, w, y) => {
      box(i, x, w, y);
      let at = x;
      for (const child of children[i]) {
        const share = w * total[child] / total[i];
        if (share >= 0.5) below(child, at, share, y + kFrame);
        at += share;
      }
    };
    const above = [];
    for (let k = root; k !== 0; k = parent[k]) above.unshift(parent[k]);
    above.forEach((i, row) => box(i, 0, width, row * kFrame));
    below(root, 0, width, above.length * kFrame);
  });
  canvas.style.height = `${Math.min(levels, kMostFlameRows) * kFrame + 4}px`;
  const at = event => boxes.find(([, x, w, y]) => event.offsetX >= x && event.offsetX < x + w && event.offsetY >= y &&
      event.offsetY < y + kFrame)?.[0];
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

  // Time of the frames that were found. Frames within each other count once.
  const search = pattern => {
    found = null;
    matched.textContent = '';
    if (pattern) {
      const fits = flameTest(pattern), inside = new Uint8Array(names.length);
      let sum = 0;
      found = Uint8Array.from(names, name => fits(name));
      for (let i = 0; i < names.length; ++i) {
        inside[i] = found[i] || (i > 0 && inside[parent[i]]);
        if (found[i] && !(i > 0 && inside[parent[i]])) sum += total[i];
      }
      matched.textContent = `${formatShare(sum / total[0])} of all`;
    }
    canvas.redraw();
  };
  const filter = make('input', { type: 'search', placeholder: 'Search frames', 'aria-label': `Search ${block.title}`,
    oninput: event => search(event.target.value) });
  const legend = make('p', { class: 'legend' });
  const drawLegend = () => legend.replaceChildren(...block.legend.map(([name, first]) => makeKey(name, colours()[first])));
  drawLegend();
  onThemeChange(drawLegend);
  return make('section', { class: 'block flames' }, make('div', { class: 'bar' }, heading(block.title), matched, filter,
      make('button', { text: 'Root below', 'aria-pressed': 'false', title: 'Draw the root at the bottom, as flame graphs do', onclick: event => {
        rising = !rising;
        event.target.setAttribute('aria-pressed', String(rising));
        canvas.redraw();
      } }),
      make('button', { text: 'All', onclick: () => go(0) })), canvas, legend, said,
      make('p', { class: 'note', text: 'Click a frame to zoom into it. Keys: arrows move through the tree, 0 shows all.' }));
};
