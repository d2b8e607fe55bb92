// The timeline: lanes on a canvas that is zoomed, panned, searched and selected.
let showInTimeline = () => {};  // known once the timeline is drawn
let timelineInView = () => keptView.timeline;  // the part in view, for the page that follows this one; undefined: all
let showSpot = () => {};  // the span of a device that begins then
let keptView = {};  // what was in view of the page before

// Two profiles beside each other: a choice of the step whose two recordings begin together.
const makeAligner = (block, view) => {
  const { lanes, texts } = block, steps = lanes.some(lane => lane.side) ? lanes.filter(lane => lane.kind === 'steps') : [];
  const common = steps.length > 1 ? Math.min(...steps.map(lane => lane.count)) : 0;
  if (!common) return [];
  const said = make('span', { class: 'note', role: 'status' });
  const align = k => {
    const { from, length, lengths } = alignSteps(lanes, k);
    said.textContent = k === null ? '' : lengths.map(([side, time]) => `${side} ${formatNs(time)}`).join(', ');
    if (k === null) view.frame(0, block.window_ns); else view.frame(from - length * 0.05, from + length * 1.05);
  };
  const choice = make('select', { onchange: event => align(event.target.value === '' ? null : Number(event.target.value)) },
      make('option', { value: '', text: 'the starts' }),
      Array.from({ length: common }, (_, k) => make('option', { value: k, text: steps.map(lane => texts[lane.nameOf[k]])
          .filter((name, n, all) => all.indexOf(name) === n).join(' and ') })));
  return [make('label', {}, 'Align ', choice), said];
};

const drawTimeline = block => {
  const { lanes, texts } = block;
  for (const lane of lanes) layOut(lane);
  for (const lane of lanes) lane.collapsed ||= lane.side !== '' && lane.kind === 'thread';  // devices side by side come first
  document.documentElement.dataset.spans = lanes.reduce((sum, lane) => sum + lane.count, 0);
  const state = { selected: null, range: null, matches: null, found: null, searchedAnew: false, arrows: [] };
  const details = make('div', { class: 'details', 'aria-live': 'polite' },
      make('p', { class: 'note', text: 'Select a span to see its details, its launch, and the reason for its wait.' }));
  const redraw = () => {
    canvas.dataset.from = Math.round(view.from);
    canvas.redraw();
  };
  const view = makeTimelineView(block, redraw), painter = makeTimelinePainter(block, view, state);
  Object.assign(view, keptView.timeline);
  timelineInView = () => view.from <= 0 && view.to >= block.window_ns ? undefined
      : { from: view.from, to: view.to, scroll: view.scroll };
  const canvas = makeCanvas('Timeline. Arrow keys pan, plus and minus zoom, slash searches.', painter.draw);
  canvas.dataset.from = Math.round(view.from);
  const fitHeight = () => { canvas.style.height = `min(66vh, 820px, ${Math.max(160, view.totalHeight() + 8)}px)`; };
  fitHeight();

  const select = target => {
    state.selected = target;
    state.searchedAnew = false;
    state.arrows = [];
    redraw();
    if (!target) { details.replaceChildren(); return; }
    const { lane, i } = target, call = launchOf(lanes, lane, i);
    if (call) state.arrows.push([call, target]);
    if (lane.kind === 'thread') state.arrows = launchedBy(lanes, lane, i, 60).spans.map(span => [target, span]);
    const go = (text, other) => other ? make('button', { text, onclick: () => { select(other); view.reveal(other); } }) : null;
    const idle = lane.kind === 'stream' ? idleBefore(lanes, lane, i) : null;
    details.replaceChildren(make('h3', { text: texts[lane.nameOf[i]] }),
        make('dl', { class: 'facts' }, spanFacts(block, target).map(([name, text]) => [make('dt', { text: name }), make('dd', { text })]).flat()),
        make('p', { class: 'bar' }, go('Show the launch', call), go('Show the gap before it', idle && { lane: idle[0], i: idle[1] }),
             go('Show the first kernel', lane.kind === 'thread' && state.arrows.length ? state.arrows[0][1] : null),
             make('button', { text: 'All of this name', onclick: () => search.find(texts[lane.nameOf[i]]) })));
  };
  const search = makeTimelineSearch(block, state, { select, view, canvas: () => canvas, redraw });
  showInTimeline = search.findPlace;
  showSpot = (time, side) => {
    const spans = lanes.filter(lane => lane.kind === 'stream' && lane.side === side)
        .map(lane => ({ lane, i: lane.start.indexOf(time) })).filter(span => span.i >= 0);
    if (!spans.length) return;
    select(spans[0]);
    view.reveal(spans[0]);
  };

  const describeRange = () => {
    const { from, to, lanes: boxed } = state.range;
    details.replaceChildren(...describeSums(block, boxed, from, to));
    redraw();
  };
  const sumView = () => {
    state.range = { from: Math.max(0, view.from), to: Math.min(block.window_ns, view.to), lanes };
    describeRange();
  };
  const fold = lane => {
    lane.collapsed = !lane.collapsed;
    fitHeight();
    redraw();
  };
  const tool = make('button', { text: 'Sum', title: 'Dragging sums a box instead of panning; hold Shift to sum at any time',
    'aria-pressed': 'false', onclick: () => tool.setAttribute('aria-pressed', String(tool.getAttribute('aria-pressed') !== 'true')) });
  const acts = { select, fold, describeRange, sumView, step: search.step, selects: () => tool.getAttribute('aria-pressed') === 'true' };
  listenToMouse(canvas, block, view, state, acts);
  listenToKeys(canvas, block, view, state, acts);

  const table = make('div');
  const asTable = make('details', { ontoggle: () => { if (asTable.open) table.replaceChildren(viewTable(block, view.from, view.to)); } },
      make('summary', { text: 'The view as a table' }), table);
  const button = (text, label, act) => make('button', { text, 'aria-label': label, title: label, onclick: act });
  return make('section', { class: 'block timeline' },
      make('div', { class: 'bar' }, search.box, search.said, makeAligner(block, view), make('span', { class: 'spring' }), tool,
           button('◂', 'Previous match', () => search.step(-1)), button('▸', 'Next match', () => search.step(1)),
           button('−', 'Zoom out', () => view.zoom(1.6)), button('+', 'Zoom in', () => view.zoom(0.6)),
           button('All', 'Show everything', () => view.frame(0, block.window_ns))),
      canvas, painter.legend, details,
      make('details', {}, make('summary', { text: 'Mouse and keys' }), make('p', { class: 'note', text: kTimelineHelp })),
      asTable);
};
