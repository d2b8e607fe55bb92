// Draws the timeline: axis, lanes, steps, what is selected, and arrows from launches.
const kLabelRoom = 30, kNarrow = 480;  // beside a lane's name: the mark of folding and the margins; a telephone's width
const kLowest = 4;                     // pixels of height that anything has, so that a short span in an empty stretch is seen

// `state` has the selected span, the arrows, the range that is summed, and `found`: of a search each lane's rows of matches.
const makeTimelinePainter = (block, view, state) => {
  const { lanes, texts, classes } = block;
  let longest = 0, colours = [], css = new Map();
  const recolour = () => { colours = classColours(classes); css = new Map(); };
  recolour();
  onThemeChange(recolour);
  const colour = name => {
    if (!css.has(name)) css.set(name, cssColour(name));
    return css.get(name);
  };

  // Lines go below the spans, times above them.
  const drawAxis = (context, texts) => {
    const span = view.to - view.from, room = (view.width - view.left) / (view.width < kNarrow ? 80 : 110);
    const tick = roundStep(span / Math.max(1, room)), textOf = tickText(tick, view.to);
    if (texts) {
      context.fillStyle = colour('--panel');
      context.fillRect(0, 0, view.width, kAxis);
    }
    context.fillStyle = colour('--dim');
    context.strokeStyle = colour('--line');
    for (let n = Math.ceil(view.from / tick); n * tick < view.to; ++n) {
      const x = view.xOf(n * tick);
      if (texts) {
        const text = textOf(n * tick);
        if (x + 6 + context.measureText(text).width < view.width) context.fillText(text, x + 3, 15);
        continue;
      }
      context.beginPath(); context.moveTo(x, kAxis); context.lineTo(x, view.height); context.stroke();
    }
  };

  const drawLabel = (context, lane, y) => {
    context.fillStyle = colour('--panel');
    context.fillRect(0, y - kLaneGap / 2, view.left - 2, laneHeight(lane));
    context.fillStyle = colour('--text');
    const mark = lane.rows.length > 1 ? (lane.collapsed ? '▸ ' : '▾ ') : '';
    context.fillText(mark + fitText(context, laneName(lane), view.left - kLabelRoom + 6), 6, y + 12);
  };

  // `rows` of a lane's spans: `fill` and `ink` give the colours of one and of its name.
  const drawSpans = (context, lane, rows, y, fill, ink) => {
    let before = '';
    const labels = [], bottom = kRowHeight - 2;
    const paint = (i, x, top, width, filled) => {
      const own = fill(i), high = Math.max(kLowest, Math.round(bottom * filled));
      if (own !== before) context.fillStyle = before = own;
      context.fillRect(x, top + bottom - high, width, high);
      if (width > 26) labels.push([i, x, top, width]);
    };
    for (let row = 0; row < (lane.collapsed ? 1 : rows.length); ++row) {
      const top = y + row * kRowHeight;
      if (top + kRowHeight >= kAxis && top <= view.height) drawRow(lane, rows[row], top, view, paint);
    }
    for (const [i, x, top, width] of labels) {
      context.fillStyle = ink(i);
      context.fillText(fitText(context, texts[lane.nameOf[i]], width - 6), x + 3, top + 11);
    }
  };
  const drawLane = (context, lane, y) => {
    const own = i => colours[lane.classOf[i]], ink = i => textOn(context, own(i));
    if (!state.matches) { drawSpans(context, lane, lane.rows, y, own, ink); return; }
    drawSpans(context, lane, lane.rows, y, () => colour('--faint'), () => colour('--dim'));
    drawSpans(context, lane, state.found.get(lane), y, own, ink);
  };

  // Where steps begin and end, across all lanes of their side.
  const drawSteps = context => {
    context.strokeStyle = colour('--step');
    context.setLineDash([3, 4]);
    for (const steps of lanes) {
      if (steps.kind !== 'steps') continue;
      const own = lanes.filter(lane => lane.side === steps.side), last = own[own.length - 1];
      const top = Math.max(kAxis, view.laneTop(own[0])), bottom = view.laneTop(last) + laneHeight(last);
      let k = bisect(0, steps.count, i => steps.start[i] + steps.duration[i] > view.from), before = -9;
      for (; k < steps.count && steps.start[k] < view.to; ++k) {
        const x = Math.round(view.xOf(steps.start[k])) + 0.5;
        if (x < view.left || x - before < 6) continue;
        before = x;
        context.beginPath(); context.moveTo(x, top); context.lineTo(x, bottom); context.stroke();
      }
    }
    context.setLineDash([]);
  };

  const drawArrow = (context, from, to) => {
    const [x1, x2] = [from, to].map(({ lane, i }) => Math.max(view.left, view.xOf(lane.start[i])));
    const down = view.spanTop(from) < view.spanTop(to);
    const y1 = view.spanTop(from) + (down ? kRowHeight - 2 : 0), y2 = view.spanTop(to) + (down ? 0 : kRowHeight - 2);
    const middle = (y1 + y2) / 2, back = y2 > y1 ? -6 : 6;
    context.beginPath();
    context.moveTo(x1, y1);
    context.bezierCurveTo(x1, middle, x2, middle, x2, y2);
    context.moveTo(x2 - 4, y2 + back); context.lineTo(x2, y2); context.lineTo(x2 + 4, y2 + back);
    context.stroke();
  };

  const drawRange = (context, { from, to, lanes: boxed }) => {
    const left = Math.max(view.left, view.xOf(from)), width = Math.max(1, view.xOf(to) - left);
    const all = boxed.length === lanes.length, last = boxed[boxed.length - 1];
    const top = all ? kAxis : Math.max(kAxis, view.laneTop(boxed[0])), bottom = all ? view.height : view.laneTop(last) + laneHeight(last);
    context.fillStyle = colour('--select');
    context.fillRect(left, top, width, bottom - top);
    context.strokeStyle = colour('--accent');
    context.strokeRect(left + 0.5, top + 0.5, width, bottom - top - 1);
  };

  const drawSelection = context => {
    if (state.range) drawRange(context, state.range);
    if (!state.selected) return;
    const { lane, i } = state.selected, y = view.spanTop(state.selected), x = view.xOf(lane.start[i]), width = lane.duration[i] * view.scale;
    context.strokeStyle = colour('--accent');
    context.lineWidth = 2;
    if (x + width >= view.left)
      context.strokeRect(Math.max(x, view.left), y - 1, Math.max(2, width - Math.max(0, view.left - x)), kRowHeight);
    context.lineWidth = 1.25;
    for (const [from, to] of state.arrows) drawArrow(context, from, to);
    context.lineWidth = 1;
  };

  const draw = (context, width, height) => {
    context.font = '12px system-ui, sans-serif';
    longest ||= Math.max(...lanes.map(lane => context.measureText(laneName(lane)).width)) + kLabelRoom;
    view.resize(width, height, Math.round(Math.min(longest, kLabelWidth, width * (width < kNarrow ? 0.42 : 0.3))));
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
  };

  const legend = make('p', { class: 'legend' });
  const there = new Uint8Array(classes.length);
  for (const lane of lanes) for (let i = 0; i < lane.count; ++i) there[lane.classOf[i]] = 1;
  const drawLegend = () => legend.replaceChildren(...classes.map((name, id) => [id, name]).filter(([id]) => there[id]).map(([id, name]) => [name.startsWith('idle: ') ? 'idle' : name, colours[id]])
      .filter(([name], k, all) => all.findIndex(([other]) => other === name) === k).map(([name, own]) => makeKey(name, own)));
  drawLegend();
  onThemeChange(drawLegend);
  return { draw, legend };
};
