// Mouse, touch and keys of the timeline.
const kTimelineHelp = 'Scroll to zoom, drag to pan, shift and drag to sum a box, double-click to fill the view with a span, click a ' +
    'name of a lane to fold it. Where spans are too short to be drawn one by one, the height is the share of the time that they fill. ' +
    'Keys: arrows or w a s d move, + and - zoom, 0 shows everything, / searches, n and p go to the next and previous span or match, ' +
    'j and k to the lane below and above, g to the launch or the first kernel, f fills the view, r sums what is in view, c folds the ' +
    'lane, Escape clears.';

const listenToMouse = (canvas, block, view, state, acts) => {
  const { lanes, texts } = block;
  let drag = null;
  canvas.addEventListener('wheel', event => {
    event.preventDefault();
    if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) view.pan((event.deltaX || event.deltaY) / 1000);
    else view.zoom(1.0015 ** event.deltaY, event.offsetX);
  }, { passive: false });
  canvas.addEventListener('pointerdown', event => {
    canvas.setPointerCapture(event.pointerId);
    drag = { x: event.offsetX, y: event.offsetY, from: view.from, to: view.to, scroll: view.scroll, moved: false,
             selects: event.shiftKey || acts.selects() };
  });
  canvas.addEventListener('pointermove', event => {
    if (!drag) {
      const target = view.hit(event.offsetX, event.offsetY);
      canvas.title = target && !target.label
          ? `${texts[target.lane.nameOf[target.i]]}\n${formatNs(target.lane.duration[target.i])}` : '';
      return;
    }
    const dx = event.offsetX - drag.x, dy = event.offsetY - drag.y;
    drag.moved ||= Math.abs(dx) + Math.abs(dy) > 4;
    if (!drag.moved) return;
    if (drag.selects) {
      const [from, to] = [drag.x, event.offsetX].map(view.timeAt).sort((a, b) => a - b);
      const [top, bottom] = [drag.y, event.offsetY].sort((a, b) => a - b);
      const boxed = bottom - top < kRowHeight ? lanes
          : lanes.filter(lane => view.laneTop(lane) < bottom && view.laneTop(lane) + laneHeight(lane) > top);
      state.range = { from, to, lanes: boxed.length ? boxed : lanes };
      canvas.redraw();
    } else {
      const by = -dx / view.scale;
      view.scroll = drag.scroll - dy;
      view.frame(drag.from + by, drag.to + by);
    }
  });
  canvas.addEventListener('pointerup', event => {
    const done = drag;
    drag = null;
    if (done?.selects && done.moved) { acts.describeRange(); return; }
    if (!done || done.moved) return;
    const target = view.hit(event.offsetX, event.offsetY);
    if (target?.label) { acts.fold(target.lane); return; }
    state.range = null;
    acts.select(target);
  });
  canvas.addEventListener('pointercancel', () => { drag = null; });
  canvas.addEventListener('dblclick', event => {
    const target = view.hit(event.offsetX, event.offsetY);
    if (target && !target.label) view.reveal(target);
  });
};

const listenToKeys = (canvas, block, view, state, { select, fold, sumView, step }) => {
  const { lanes } = block;
  // The span of the next lane, up or down, that is nearest in time.
  const changeLane = by => {
    const { lane, i } = state.selected || { lane: lanes[by > 0 ? 0 : lanes.length - 1], i: 0 };
    const next = lanes[lanes.indexOf(lane) + (state.selected ? by : 0)];
    if (!next) return;
    const k = bisect(0, next.count, j => next.start[j] >= lane.start[i]);
    select({ lane: next, i: Math.min(k, next.count - 1) });
    view.show(state.selected);
  };
  const goToLaunch = () => {
    const call = state.selected && (launchOf(lanes, state.selected.lane, state.selected.i) || state.arrows[0]?.[1]);
    if (call) { select(call); view.reveal(call); }
  };
  const width = () => view.to - view.from;
  const keys = {
    ArrowLeft: () => view.pan(-0.1), ArrowRight: () => view.pan(0.1), ArrowUp: () => view.pan(0, -3), ArrowDown: () => view.pan(0, 3),
    a: () => view.pan(-0.2), d: () => view.pan(0.2), w: () => view.zoom(0.7), s: () => view.zoom(1.4),
    '+': () => view.zoom(0.7), '-': () => view.zoom(1.4), 0: () => view.frame(0, block.window_ns),
    f: () => state.selected && view.reveal(state.selected), n: () => step(1), p: () => step(-1),
    j: () => changeLane(1), k: () => changeLane(-1), r: sumView, c: () => state.selected && fold(state.selected.lane), g: goToLaunch,
    Home: () => view.frame(0, width()), End: () => view.frame(block.window_ns - width(), block.window_ns),
    Escape: () => { state.range = null; select(null); },
  };
  canvas.addEventListener('keydown', event => {
    const act = !event.ctrlKey && !event.metaKey && !event.altKey && keys[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });
};
