// The timeline: lanes on a canvas that is zoomed, panned, searched and selected.
let showInTimeline = () => {};

const drawTimeline = block => {
  const { lanes, texts, classes } = block;
  for (const lane of lanes) layOut(lane);
  for (const lane of lanes) lane.collapsed ||= lane.side !== '' && lane.kind === 'thread';  // devices side by side come first
  document.documentElement.dataset.spans = lanes.reduce((sum, lane) => sum + lane.count, 0);
  const view = { from: 0, to: Math.max(1, block.window_ns), scroll: 0, left: kLabelWidth, width: 0, height: 0, scale: 1 };
  const state = { selected: null, range: null, matches: null, arrows: [] };
  const details = make('div', { class: 'details', 'aria-live': 'polite' },
      make('p', { class: 'note', text: 'Select a span to see what it is, what launched it, and what it waited for.' }));
  const found = make('span', { class: 'note', role: 'status' });
  const kAxis = 24, kLabelRoom = 30;  // beside a lane's name: the mark of folding and the margins
  let longest = 0;

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
      if (texts) {
        const text = formatNs(Math.round(t));
        if (x + 6 + context.measureText(text).width < view.width) context.fillText(text, x + 3, 15);
        continue;
      }
      context.beginPath(); context.moveTo(x, kAxis); context.lineTo(x, view.height); context.stroke();
    }
  };

  const drawLabel = (context, lane, y) => {
    context.fillStyle = cssColour('--panel');
    context.fillRect(0, y - kLaneGap / 2, view.left - 2, laneHeight(lane));
    context.fillStyle = cssColour('--text');
    const mark = lane.rows.length > 1 ? (lane.collapsed ? '▸ ' : '▾ ') : '';
    context.fillText(mark + fitText(context, laneName(lane), view.left - kLabelRoom + 6), 6, y + 12);
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
    for (const [i, x, top, width] of labels) {
      context.fillStyle = isMatch(lane, i) ? textOn(context, colours[lane.classOf[i]]) : cssColourCache('--dim');
      context.fillText(fitText(context, texts[lane.nameOf[i]], width - 6), x + 3, top + 11);
    }
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

  // Where steps begin and end, across all lanes of their side.
  const drawSteps = context => {
    context.strokeStyle = cssColourCache('--step');
    context.setLineDash([3, 4]);
    for (const steps of lanes) {
      if (steps.kind !== 'steps') continue;
      const own = lanes.filter(lane => lane.side === steps.side);
      const top = Math.max(kAxis, laneTop(own[0])), bottom = laneTop(own[own.length - 1]) + laneHeight(own[own.length - 1]);
      let k = bisect(0, steps.count, i => steps.start[i] + steps.duration[i] > view.from), before = -9;
      for (; k < steps.count && steps.start[k] < view.to; ++k) {
        const x = Math.round(xOf(steps.start[k])) + 0.5;
        if (x < view.left || x - before < 6) continue;
        before = x;
        context.beginPath(); context.moveTo(x, top); context.lineTo(x, bottom); context.stroke();
      }
    }
    context.setLineDash([]);
  };

  const spanTop = ({ lane, i }) => laneTop(lane) + (lane.collapsed ? 0 : lane.rowOf[i]) * kRowHeight;

  const drawArrow = (context, from, to) => {
    const x1 = Math.max(view.left, xOf(from.lane.start[from.i])), x2 = Math.max(view.left, xOf(to.lane.start[to.i]));
    const y1 = spanTop(from) + (spanTop(from) < spanTop(to) ? kRowHeight - 2 : 0);
    const y2 = spanTop(to) + (spanTop(from) < spanTop(to) ? 0 : kRowHeight - 2);
    const middle = (y1 + y2) / 2, down = y2 > y1 ? -1 : 1;
    context.beginPath();
    context.moveTo(x1, y1);
    context.bezierCurveTo(x1, middle, x2, middle, x2, y2);
    context.moveTo(x2 - 4, y2 + 6 * down); context.lineTo(x2, y2); context.lineTo(x2 + 4, y2 + 6 * down);
    context.stroke();
  };

  const drawSelection = context => {
    if (state.range) {
      const [a, b] = [state.range.from, state.range.to].map(xOf), left = Math.max(view.left, a);
      const top = state.range.lanes.length === lanes.length ? kAxis : Math.max(kAxis, laneTop(state.range.lanes[0]));
      const last = state.range.lanes[state.range.lanes.length - 1];
      const bottom = state.range.lanes.length === lanes.length ? view.height : laneTop(last) + laneHeight(last);
      context.fillStyle = cssColourCache('--select');
      context.fillRect(left, top, Math.max(1, b - left), bottom - top);
      context.strokeStyle = cssColourCache('--accent');
      context.strokeRect(left + 0.5, top + 0.5, Math.max(1, b - left), bottom - top - 1);
    }
    if (!state.selected) return;
    const { lane, i } = state.selected, y = spanTop(state.selected), x = xOf(lane.start[i]);
    context.strokeStyle = cssColourCache('--accent');
    context.lineWidth = 2;
    if (x + lane.duration[i] * view.scale >= view.left)
      context.strokeRect(Math.max(x, view.left), y - 1, Math.max(2, lane.duration[i] * view.scale - Math.max(0, view.left - x)),
                         kRowHeight);
    context.lineWidth = 1.25;
    for (const [from, to] of state.arrows) drawArrow(context, from, to);
    context.lineWidth = 1;
  };

  const canvas = makeCanvas('Timeline. Arrow keys pan, plus and minus zoom, slash searches.', (context, width, height) => {
    context.font = '12px system-ui, sans-serif';
    longest ||= Math.max(...lanes.map(lane => context.measureText(laneName(lane)).width)) + kLabelRoom;
    Object.assign(view, { width, height, left: Math.round(Math.min(longest, kLabelWidth, width * (width < 480 ? 0.42 : 0.3))) });
    clampView();
    view.scale = (view.width - view.left) / (view.to - view.from);
    drawAxis(context, false);
    let y = kAxis - view.scroll;
    const tops = [];
    for (const lane of lanes) {
      if (y + laneHeight(lane) > 0 && y < view.height) { drawLane(context, lane, y); tops.push([lane, y]); }
      y += laneHeight(lane);
    }
    drawSteps(context);
    drawSelection(context);
    for (const [lane, top] of tops) drawLabel(context, lane, top);
    drawAxis(context, true);
  });

  const fitHeight = () => { canvas.style.height = `min(66vh, 820px, ${Math.max(160, totalHeight() + 8)}px)`; };
  fitHeight();

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

  const select = target => {
    state.selected = target;
    state.arrows = [];
    canvas.redraw();
    if (!target) { details.replaceChildren(); return; }
    const { lane, i } = target, call = launchOf(lanes, lane, i);
    if (call) state.arrows.push([call, target]);
    if (lane.kind === 'thread') state.arrows = launchedBy(lanes, lane, i, 60).spans.map(span => [target, span]);
    const go = (text, other) => other ? make('button', { text, onclick: () => { select(other); reveal(other); } }) : null;
    const idle = lane.kind === 'stream' ? idleBefore(lanes, lane, i) : null;
    details.replaceChildren(make('h3', { text: texts[lane.nameOf[i]] }),
        make('dl', { class: 'facts' }, spanFacts(block, target).map(([name, text]) => [make('dt', { text: name }), make('dd', { text })]).flat()),
        make('p', { class: 'bar' }, go('Show the launch', call), go('Show the gap before it', idle && { lane: idle[0], i: idle[1] }),
             go('Show the first kernel', lane.kind === 'thread' && state.arrows.length ? state.arrows[0][1] : null),
             make('button', { text: 'All of this name', onclick: () => { box.value = texts[lane.nameOf[i]]; search(box.value); } })));
  };

  const describeRange = () => {
    const { from, to } = state.range;
    details.replaceChildren(...describeSums(block, state.range.lanes, from, to));
  };
  const sumView = () => {
    state.range = { from: Math.max(0, view.from), to: Math.min(block.window_ns, view.to), lanes };
    describeRange();
    canvas.redraw();
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
             selects: event.shiftKey || tool.getAttribute('aria-pressed') === 'true' };
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
      const [from, to] = [drag.x, event.offsetX].map(x => view.from + (Math.max(x, view.left) - view.left) / view.scale)
          .sort((a, b) => a - b);
      const [top, bottom] = [drag.y, event.offsetY].sort((a, b) => a - b);
      const boxed = bottom - top < kRowHeight ? lanes
          : lanes.filter(lane => laneTop(lane) < bottom && laneTop(lane) + laneHeight(lane) > top);
      state.range = { from, to, lanes: boxed.length ? boxed : lanes };
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
    if (target?.label) { fold(target.lane); return; }
    state.range = null;
    select(target);
  });
  canvas.addEventListener('dblclick', event => {
    const target = hit(event.offsetX, event.offsetY);
    if (target && !target.label) reveal(target);
  });

  const fold = lane => {
    lane.collapsed = !lane.collapsed;
    fitHeight();
    canvas.redraw();
  };

  // The span of the next lane, up or down, that is nearest in time.
  const changeLane = by => {
    const { lane, i } = state.selected || { lane: lanes[by > 0 ? 0 : lanes.length - 1], i: 0 };
    const next = lanes[lanes.indexOf(lane) + (state.selected ? by : 0)];
    if (!next) return;
    const k = bisect(0, next.count, j => next.start[j] >= lane.start[i]);
    select({ lane: next, i: Math.min(k, next.count - 1) });
    scrollTo(state.selected);
  };
  const scrollTo = target => {
    const y = spanTop(target), middle = target.lane.start[target.i] + target.lane.duration[target.i] / 2;
    if (y < kAxis || y > view.height - kRowHeight) view.scroll += y - view.height / 3;
    if (middle < view.from || middle > view.to) { const half = (view.to - view.from) / 2; view.from = middle - half; view.to = middle + half; }
    canvas.redraw();
  };

  const keys = {
    ArrowLeft: () => pan(-0.1), ArrowRight: () => pan(0.1), ArrowUp: () => pan(0, -3), ArrowDown: () => pan(0, 3),
    a: () => pan(-0.2), d: () => pan(0.2), w: () => zoom(0.7), s: () => zoom(1.4), '+': () => zoom(0.7), '-': () => zoom(1.4),
    0: () => frame(0, block.window_ns), f: () => state.selected && reveal(state.selected), n: () => step(1), p: () => step(-1),
    j: () => changeLane(1), k: () => changeLane(-1), r: sumView, Home: () => frame(0, view.to - view.from),
    End: () => frame(block.window_ns - (view.to - view.from), block.window_ns),
    c: () => state.selected && fold(state.selected.lane),
    g: () => { const call = state.selected && (launchOf(lanes, state.selected.lane, state.selected.i) || state.arrows[0]?.[1]);
      if (call) { select(call); reveal(call); } },
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
    const start = state.selected || { lane: lanes.find(lane => lane.kind === 'stream') || lanes[0], i: direction > 0 ? -1 : 0 };
    if (!state.matches) {
      const i = start.i + direction;
      if (i >= 0 && i < start.lane.count) { select({ lane: start.lane, i }); scrollTo(state.selected); }
      return;
    }
    const places = [];
    for (const lane of lanes) {
      for (let i = 0; i < lane.count; ++i) if (isMatch(lane, i)) places.push([lane.start[i], lane, i]);
    }
    if (!places.length) return;
    places.sort((a, b) => (b[1].kind === 'stream') - (a[1].kind === 'stream') || a[0] - b[0]);  // of devices first
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

  const tool = make('button', { text: 'Sum', title: 'Drag sums a box instead of panning; shift and drag does so at any time',
    'aria-pressed': 'false', onclick: () => tool.setAttribute('aria-pressed', String(tool.getAttribute('aria-pressed') !== 'true')) });
  const table = make('div');
  const asTable = make('details', { ontoggle: () => { if (asTable.open) table.replaceChildren(viewTable(block, view.from, view.to)); } },
      make('summary', { text: 'The view as a table' }), table);
  const sides = lanes.some(lane => lane.side), steps = sides ? lanes.filter(lane => lane.kind === 'steps') : [];
  const common = steps.length > 1 ? Math.min(...steps.map(lane => lane.count)) : 0;
  const aligned = make('span', { class: 'note', role: 'status' });
  const align = k => {
    const { from, length, lengths } = alignSteps(lanes, k);
    aligned.textContent = k === null ? '' : lengths.map(([side, time]) => `${side} ${formatNs(time)}`).join(', ');
    if (k === null) frame(0, block.window_ns); else frame(from - length * 0.05, from + length * 1.05);
  };
  const aligner = common ? make('label', {}, 'Align ', make('select', { onchange: event => align(event.target.value === '' ? null : Number(event.target.value)) },
      make('option', { value: '', text: 'the starts' }),
      Array.from({ length: common }, (_, k) => make('option', { value: k, text: steps.map(lane => texts[lane.nameOf[k]])
          .filter((name, n, all) => all.indexOf(name) === n).join(' and ') })))) : null;

  const button = (text, label, act) => make('button', { text, 'aria-label': label, title: label, onclick: act });
  const legend = make('p', { class: 'legend' });
  const drawLegend = () => legend.replaceChildren(...classes.map((name, id) => [name.startsWith('idle: ') ? 'idle' : name, colours[id]])
      .filter(([name], k, all) => all.findIndex(([other]) => other === name) === k).map(([name, colour]) => {
        const dot = make('span', { class: 'dot' });
        dot.style.background = colour;
        return make('span', { class: 'key' }, dot, name);
      }));
  drawLegend();
  onThemeChange(drawLegend);
  return make('section', { class: 'block timeline' },
      make('div', { class: 'bar' }, box, found, aligner, aligned, make('span', { class: 'spring' }), tool,
           button('◂', 'Previous match', () => step(-1)), button('▸', 'Next match', () => step(1)),
           button('−', 'Zoom out', () => zoom(1.6)), button('+', 'Zoom in', () => zoom(0.6)),
           button('All', 'Show everything', () => frame(0, block.window_ns))),
      canvas, legend, details,
      make('details', {}, make('summary', { text: 'Mouse and keys' }), make('p', { class: 'note', text: 'Scroll to zoom, drag to pan, ' +
          'shift and drag to sum a box, double-click to fill the view with a span, click a name of a lane to fold it. Keys: arrows or ' +
          'w a s d move, + and - zoom, 0 shows everything, / searches, n and p go to the next and previous span or match, j and k to ' +
          'the lane below and above, g to the launch or the first kernel, f fills the view, r sums what is in view, c folds the lane, ' +
          'Escape clears.' })),
      asTable);
};
