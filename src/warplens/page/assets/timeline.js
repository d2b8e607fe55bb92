// The timeline: lanes on a canvas that is zoomed, panned, searched and selected.
let showInTimeline = () => {};

const drawTimeline = block => {
  const { lanes, texts, classes } = block;
  for (const lane of lanes) layOut(lane);
  const view = { from: 0, to: Math.max(1, block.window_ns), scroll: 0, left: kLabelWidth, width: 0, height: 0, scale: 1 };
  const state = { selected: null, range: null, matches: null };
  const details = make('div', { class: 'details', 'aria-live': 'polite' },
      make('p', { class: 'note', text: 'Select a span to see what it is, what launched it, and what it waited for.' }));
  const found = make('span', { class: 'note', role: 'status' });
  const kAxis = 24;

  let colours = classColours(classes);
  onThemeChange(() => { colours = classColours(classes); });

  const totalHeight = () => lanes.reduce((sum, lane) => sum + laneHeight(lane), kAxis);
  const clampView = () => {
    const all = Math.max(1, block.window_ns), span = Math.min(Math.max(view.to - view.from, 20), all * 1.1);
    const centre = (view.from + view.to) / 2;
    view.from = Math.max(-all * 0.05, Math.min(centre - span / 2, all * 1.05 - span));
    view.to = view.from + span;
    view.scroll = Math.max(0, Math.min(view.scroll, totalHeight() - view.height));
  };

  // Lines go below the spans, times above them.
  const drawAxis = (context, texts) => {
    const span = view.to - view.from, room = (view.width - view.left) / 110;
    const rough = span / Math.max(1, room), power = 10 ** Math.floor(Math.log10(rough));
    const tick = power * [1, 2, 5, 10].find(m => m * power >= rough);
    if (texts) {
      context.fillStyle = cssColour('--panel');
      context.fillRect(0, 0, view.width, kAxis);
    }
    context.fillStyle = cssColour('--dim');
    context.strokeStyle = cssColour('--line');
    for (let t = Math.ceil(view.from / tick) * tick; t < view.to; t += tick) {
      const x = view.left + (t - view.from) * view.scale;
      if (texts) { context.fillText(formatNs(Math.round(t)), x + 3, 15); continue; }
      context.beginPath(); context.moveTo(x, kAxis); context.lineTo(x, view.height); context.stroke();
    }
  };

  const drawLabel = (context, lane, y) => {
    context.fillStyle = cssColour('--panel');
    context.fillRect(0, y - kLaneGap / 2, view.left - 2, laneHeight(lane));
    context.fillStyle = cssColour('--text');
    const mark = lane.rows.length > 1 ? (lane.collapsed ? '▸ ' : '▾ ') : '';
    context.fillText(mark + fitText(context, `${lane.group} ${lane.name}`.trim(), view.left - 24), 6, y + 12);
  };

  const isMatch = (lane, i) => !state.matches || state.matches.has(lane.nameOf[i]) || state.matches.has(lane.detailOf[i]);

  const drawLane = (context, lane, y) => {
    let colour = '';
    const labels = [];
    const paint = (i, x, top, width) => {
      const own = isMatch(lane, i) ? colours[lane.classOf[i]] : cssColourCache('--faint');
      if (own !== colour) context.fillStyle = colour = own;
      context.fillRect(x, top, width, kRowHeight - 2);
      if (width > 26) labels.push([i, x, top, width]);
    };
    const rows = lane.collapsed ? 1 : lane.rows.length;
    for (let row = 0; row < rows; ++row) {
      const top = y + row * kRowHeight;
      if (top + kRowHeight < kAxis || top > view.height) continue;
      drawRow(context, lane, lane.rows[row], top, view, paint);
    }
    context.fillStyle = lane.kind === 'idle' ? cssColour('--dim') : cssColour('--on-span');
    for (const [i, x, top, width] of labels) context.fillText(fitText(context, texts[lane.nameOf[i]], width - 6), x + 3, top + 11);
  };

  let cache = new Map();
  onThemeChange(() => { cache = new Map(); });
  const cssColourCache = name => {
    if (!cache.has(name)) cache.set(name, cssColour(name));
    return cache.get(name);
  };

  const laneTop = wanted => {
    let y = kAxis - view.scroll;
    for (const lane of lanes) {
      if (lane === wanted) return y;
      y += laneHeight(lane);
    }
    return y;
  };

  const xOf = time => view.left + (time - view.from) * view.scale;

  const drawSelection = context => {
    if (state.range) {
      const [a, b] = state.range.map(xOf);
      context.fillStyle = cssColour('--select');
      context.fillRect(Math.max(view.left, a), kAxis, b - Math.max(view.left, a), view.height - kAxis);
    }
    if (!state.selected) return;
    const { lane, i } = state.selected, row = lane.collapsed ? 0 : lane.rowOf[i];
    const y = laneTop(lane) + row * kRowHeight, x = xOf(lane.start[i]);
    context.strokeStyle = cssColour('--accent');
    context.lineWidth = 2;
    if (x + lane.duration[i] * view.scale >= view.left)
      context.strokeRect(Math.max(x, view.left), y - 1, Math.max(2, lane.duration[i] * view.scale - Math.max(0, view.left - x)),
                         kRowHeight);
    if (lane.launches && lane.launchLane[i] > 0) {
      const launch = xOf(lane.start[i] - lane.launchBefore[i]);
      context.beginPath();
      context.moveTo(Math.max(view.left, launch), laneTop(lanes[lane.launchLane[i] - 1]) + 4);
      context.lineTo(Math.max(view.left, x), y + kRowHeight);
      context.stroke();
    }
    context.lineWidth = 1;
  };

  const canvas = makeCanvas('Timeline. Arrow keys pan, plus and minus zoom, slash searches.', (context, width, height) => {
    Object.assign(view, { width, height });
    clampView();
    view.scale = (view.width - view.left) / (view.to - view.from);
    context.font = '12px system-ui, sans-serif';
    drawAxis(context, false);
    let y = kAxis - view.scroll;
    const tops = [];
    for (const lane of lanes) {
      if (y + laneHeight(lane) > 0 && y < view.height) { drawLane(context, lane, y); tops.push([lane, y]); }
      y += laneHeight(lane);
    }
    drawSelection(context);
    for (const [lane, top] of tops) drawLabel(context, lane, top);
    drawAxis(context, true);
  });

  // What lies under a pixel: a lane's label, or a span.
  const hit = (x, y) => {
    let top = kAxis - view.scroll;
    for (const lane of lanes) {
      const height = laneHeight(lane);
      if (y >= top && y < top + height) {
        if (x < view.left) return { lane, label: true };
        const row = Math.min(lane.rows.length - 1, Math.floor((y - top) / kRowHeight));
        const i = spanAt(lane, row, view.from + (x - view.left) / view.scale, 3 / view.scale);
        return i < 0 ? null : { lane, i };
      }
      top += height;
    }
    return null;
  };

  const idleBefore = (lane, i) => {
    const idle = lanes.find(other => other.kind === 'idle' && other.group === lane.group);
    if (!idle) return null;
    const k = bisect(0, idle.count, j => idle.start[j] + idle.duration[j] >= lane.start[i]);
    return k < idle.count && idle.start[k] + idle.duration[k] === lane.start[i] ? [idle, k] : null;
  };

  const select = target => {
    state.selected = target;
    canvas.redraw();
    if (!target) { details.replaceChildren(); return; }
    const { lane, i } = target;
    const facts = [['lane', `${lane.group} ${lane.name}`], ['class', classes[lane.classOf[i]]],
      ['begins', formatNs(lane.start[i])], ['takes', formatNs(lane.duration[i])]];
    for (const line of texts[lane.detailOf[i]].split('\n').filter(Boolean)) {
      const colon = line.indexOf(': ');
      facts.push(colon > 0 && colon < 12 ? [line.slice(0, colon), line.slice(colon + 2)] : ['', line]);
    }
    if (lane.launches && lane.launchLane[i] > 0)
      facts.push(['launched', `${formatNs(lane.launchBefore[i])} before it began, by ${lanes[lane.launchLane[i] - 1].name}`]);
    const idle = lane.kind === 'stream' ? idleBefore(lane, i) : null;
    if (idle) {
      const [gaps, k] = idle;
      facts.push(['before it', `the GPU was ${texts[gaps.nameOf[k]]} for ${formatNs(gaps.duration[k])}` +
          (gaps.detailOf[k] ? `; ${texts[gaps.detailOf[k]]}` : '')]);
    }
    details.replaceChildren(make('h3', { text: texts[lane.nameOf[i]] }),
        make('dl', { class: 'facts' }, facts.map(([name, text]) => [make('dt', { text: name }), make('dd', { text })]).flat()));
  };

  const describeRange = () => {
    const [from, to] = state.range;
    const rows = [];
    for (const lane of lanes.filter(lane => lane.kind === 'stream' || lane.kind === 'idle')) {
      const sums = new Map(), count = sumClasses(lane, from, to, sums);
      for (const [id, time] of sums) rows.push([`${lane.group} ${lane.name}`, classes[id], time, count]);
    }
    rows.sort((a, b) => b[2] - a[2]);
    details.replaceChildren(make('h3', { text: `Selected: ${formatNs(Math.round(to - from))}` }), make('table', {},
        make('thead', {}, make('tr', {}, ['lane', 'class', 'time', 'share'].map(text => make('th', { scope: 'col', text })))),
        make('tbody', {}, rows.slice(0, 24).map(([lane, name, time]) => make('tr', {},
            [lane, name, formatNs(Math.round(time)), formatShare(time / (to - from))].map(text => make('td', { text })))))));
  };

  const zoom = (factor, at) => {
    const time = at === undefined ? (view.from + view.to) / 2 : view.from + (at - view.left) / view.scale;
    view.from = time - (time - view.from) * factor;
    view.to = time + (view.to - time) * factor;
    canvas.redraw();
  };
  const pan = (share, rows = 0) => {
    const by = (view.to - view.from) * share;
    view.from += by; view.to += by; view.scroll += rows * kRowHeight;
    canvas.redraw();
  };
  const frame = (from, to) => { view.from = from; view.to = to; canvas.redraw(); };
  const reveal = ({ lane, i }) => {
    const span = Math.max(lane.duration[i] * 12, 1000);
    frame(lane.start[i] - span / 2, lane.start[i] + lane.duration[i] + span / 2);
    view.scroll += laneTop(lane) - view.height / 3;
  };

  canvas.addEventListener('wheel', event => {
    event.preventDefault();
    if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) pan((event.deltaX || event.deltaY) / 1000);
    else zoom(1.0015 ** event.deltaY, Math.max(event.offsetX, view.left));
  }, { passive: false });

  let drag = null;
  canvas.addEventListener('pointerdown', event => {
    canvas.setPointerCapture(event.pointerId);
    drag = { x: event.offsetX, y: event.offsetY, from: view.from, to: view.to, scroll: view.scroll, moved: false,
             selects: event.shiftKey };
  });
  canvas.addEventListener('pointermove', event => {
    if (!drag) {
      const target = hit(event.offsetX, event.offsetY);
      canvas.title = target && !target.label
          ? `${texts[target.lane.nameOf[target.i]]}\n${formatNs(target.lane.duration[target.i])}` : '';
      return;
    }
    const dx = event.offsetX - drag.x, dy = event.offsetY - drag.y;
    drag.moved ||= Math.abs(dx) + Math.abs(dy) > 4;
    if (!drag.moved) return;
    if (drag.selects) {
      state.range = [drag.x, event.offsetX].map(x => view.from + (Math.max(x, view.left) - view.left) / view.scale)
          .sort((a, b) => a - b);
    } else {
      const by = -dx / view.scale;
      view.from = drag.from + by; view.to = drag.to + by; view.scroll = drag.scroll - dy;
    }
    canvas.redraw();
  });
  canvas.addEventListener('pointerup', event => {
    const done = drag;
    drag = null;
    if (done?.selects && done.moved) { describeRange(); return; }
    if (!done || done.moved) return;
    const target = hit(event.offsetX, event.offsetY);
    if (target?.label) { target.lane.collapsed = !target.lane.collapsed; canvas.redraw(); return; }
    state.range = null;
    select(target);
  });
  canvas.addEventListener('dblclick', event => {
    const target = hit(event.offsetX, event.offsetY);
    if (target && !target.label) reveal(target);
  });

  const keys = {
    ArrowLeft: () => pan(-0.1), ArrowRight: () => pan(0.1), ArrowUp: () => pan(0, -3), ArrowDown: () => pan(0, 3),
    a: () => pan(-0.2), d: () => pan(0.2), w: () => zoom(0.7), s: () => zoom(1.4), '+': () => zoom(0.7), '-': () => zoom(1.4),
    0: () => frame(0, block.window_ns), f: () => state.selected && reveal(state.selected), n: () => step(1), p: () => step(-1),
    Escape: () => { state.range = null; select(null); },
  };
  canvas.addEventListener('keydown', event => {
    const act = !event.ctrlKey && !event.metaKey && !event.altKey && keys[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });

  // The next or previous span that the search found, or the neighbour of the selected one.
  const step = direction => {
    const places = [];
    for (const lane of lanes) {
      if (!state.matches && lane !== state.selected?.lane) continue;
      for (let i = 0; i < lane.count; ++i) if (isMatch(lane, i)) places.push([lane.start[i], lane, i]);
    }
    if (!places.length) return;
    places.sort((a, b) => a[0] - b[0]);
    const at = places.findIndex(([, lane, i]) => lane === state.selected?.lane && i === state.selected?.i);
    const [, lane, i] = places[(at + direction + places.length + (at < 0 && direction < 0 ? 1 : 0)) % places.length];
    select({ lane, i });
    reveal({ lane, i });
  };

  const search = text => {
    const pattern = text.toLowerCase();
    if (!pattern) { state.matches = null; found.textContent = ''; canvas.redraw(); return; }
    state.matches = new Set();
    texts.forEach((each, row) => { if (row && each.toLowerCase().includes(pattern)) state.matches.add(row); });
    let count = 0, time = 0;
    for (const lane of lanes) {
      for (let i = 0; i < lane.count; ++i) {
        if (!isMatch(lane, i)) continue;
        ++count;
        if (lane.kind === 'stream') time += lane.duration[i];
      }
    }
    found.textContent = count ? `${count} spans, ${formatNs(time)} on GPUs` : 'nothing found';
    canvas.redraw();
  };
  const box = make('input', { type: 'search', placeholder: 'Search names, operators, shapes ( / )', 'aria-label': 'Search the timeline',
    oninput: event => search(event.target.value),
    onkeydown: event => {
      if (event.key === 'Enter') { event.preventDefault(); step(event.shiftKey ? -1 : 1); }
      if (event.key === 'Escape') { box.value = ''; search(''); canvas.focus(); }
    } });
  showInTimeline = text => { openSection('timeline'); box.value = text; search(text); step(1); };
  document.addEventListener('keydown', event => {
    if (event.key === '/' && !['INPUT', 'TEXTAREA'].includes(event.target.tagName) && canvas.offsetParent) {
      event.preventDefault();
      box.focus();
    }
  });

  const button = (text, label, act) => make('button', { text, 'aria-label': label, title: label, onclick: act });
  const legend = make('p', { class: 'legend' });
  const drawLegend = () => legend.replaceChildren(...classes.map((name, id) => [name, colours[id]])
      .filter(([name]) => !name.startsWith('idle: ')).map(([name, colour]) => {
        const dot = make('span', { class: 'dot' });
        dot.style.background = colour;
        return make('span', { class: 'key' }, dot, name);
      }));
  drawLegend();
  onThemeChange(drawLegend);
  return make('section', { class: 'block timeline' },
      make('div', { class: 'bar' }, box, found, make('span', { class: 'spring' }),
           button('◂', 'Previous match', () => step(-1)), button('▸', 'Next match', () => step(1)),
           button('−', 'Zoom out', () => zoom(1.6)), button('+', 'Zoom in', () => zoom(0.6)),
           button('All', 'Show everything', () => frame(0, block.window_ns))),
      canvas, legend,
      make('p', { class: 'note', text: 'Scroll to zoom, drag to pan, shift and drag to sum a range, double-click to fill the ' +
          'view. Keys: arrows, + and -, 0 for everything, / to search, n and p for the next and previous match.' }),
      details);
};
