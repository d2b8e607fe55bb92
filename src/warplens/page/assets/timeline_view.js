// The part of the timeline in view, the places of its lanes and spans, and the moves of the view. Nothing here draws.
const kAxis = 24;

const makeTimelineView = (block, moved) => {
  const { lanes } = block;
  const view = { from: 0, to: Math.max(1, block.window_ns), scroll: 0, left: kLabelWidth, width: 0, height: 0, scale: 1 };

  view.totalHeight = () => lanes.reduce((sum, lane) => sum + laneHeight(lane), kAxis);
  view.resize = (width, height, left) => {
    const all = Math.max(1, block.window_ns), span = Math.min(Math.max(view.to - view.from, 20), all * 1.1);
    const centre = (view.from + view.to) / 2;
    view.from = Math.max(-all * 0.05, Math.min(centre - span / 2, all * 1.05 - span));
    view.to = view.from + span;
    Object.assign(view, { width, height, left, scale: (width - left) / span });
    view.scroll = Math.max(0, Math.min(view.scroll, view.totalHeight() - height));
  };

  view.laneTop = wanted => {
    let y = kAxis - view.scroll;
    for (const lane of lanes) {
      if (lane === wanted) return y;
      y += laneHeight(lane);
    }
    return y;
  };
  view.spanTop = ({ lane, i }) => view.laneTop(lane) + (lane.collapsed ? 0 : lane.rowOf[i]) * kRowHeight;
  view.xOf = time => view.left + (time - view.from) * view.scale;
  view.timeAt = x => view.from + (Math.max(x, view.left) - view.left) / view.scale;

  // The thing under a pixel: a lane's label, or a span.
  view.hit = (x, y) => {
    let top = kAxis - view.scroll;
    for (const lane of lanes) {
      const height = laneHeight(lane);
      if (y >= top && y < top + height) {
        if (x < view.left) return { lane, label: true };
        const row = Math.min(lane.rows.length - 1, Math.floor((y - top) / kRowHeight));
        const i = spanAt(lane, row, view.timeAt(x), 3 / view.scale);
        return i < 0 ? null : { lane, i };
      }
      top += height;
    }
    return null;
  };

  view.frame = (from, to) => { view.from = from; view.to = to; moved(); };
  view.zoom = (factor, x) => {
    const time = x === undefined ? (view.from + view.to) / 2 : view.timeAt(x);
    view.frame(time - (time - view.from) * factor, time + (view.to - time) * factor);
  };
  view.pan = (share, rows = 0) => {
    const by = (view.to - view.from) * share;
    view.scroll += rows * kRowHeight;
    view.frame(view.from + by, view.to + by);
  };
  // Fills the view with a span and what is about it.
  view.reveal = ({ lane, i }) => {
    const span = Math.max(lane.duration[i] * 12, 1000);
    view.frame(lane.start[i] - span / 2, lane.start[i] + lane.duration[i] + span / 2);
    view.scroll += view.laneTop(lane) - view.height / 3;
  };
  // Moves no more than a span needs to be seen.
  view.show = target => {
    const y = view.spanTop(target), middle = target.lane.start[target.i] + target.lane.duration[target.i] / 2;
    const half = (view.to - view.from) / 2;
    if (y < kAxis || y > view.height - kRowHeight) view.scroll += y - view.height / 3;
    if (middle < view.from || middle > view.to) view.frame(middle - half, middle + half);
    else moved();
  };
  return view;
};
