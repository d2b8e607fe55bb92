// A lane of the timeline: its rows of nested spans, and how they are drawn at any zoom in a time that pixels bound.
const kRowHeight = 17, kLaneGap = 5, kLabelWidth = 260;

// First index in [from, to) for which `test` holds; it holds for all behind that one.
const bisect = (from, to, test) => {
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (test(middle)) to = middle; else from = middle + 1;
  }
  return from;
};

// Spans of one depth do not overlap, so each row can be searched by its starts and by its ends.
const layOut = lane => {
  const ends = [], counts = [], row = new Uint16Array(lane.count);
  for (let i = 0; i < lane.count; ++i) {
    while (ends.length && ends[ends.length - 1] <= lane.start[i]) ends.pop();
    row[i] = ends.length;
    counts[ends.length] = (counts[ends.length] || 0) + 1;
    ends.push(lane.start[i] + lane.duration[i]);
  }
  lane.rows = counts.map(count => new Uint32Array(count));
  const filled = counts.map(() => 0);
  for (let i = 0; i < lane.count; ++i) lane.rows[row[i]][filled[row[i]]++] = i;
  lane.rowOf = row;
  lane.collapsed = lane.kind === 'python';
};

const laneHeight = lane => (lane.collapsed ? 1 : lane.rows.length) * kRowHeight + kLaneGap;

// Draws a row between the view's times. Spans below a pixel are drawn once a pixel and the others in it are skipped.
const drawRow = (context, lane, indices, y, view, paint) => {
  const { from, to, scale, left } = view, start = lane.start, duration = lane.duration;
  let k = bisect(0, indices.length, i => start[indices[i]] + duration[indices[i]] > from);
  while (k < indices.length && start[indices[k]] < to) {
    const i = indices[k], x = left + (start[i] - from) * scale, width = duration[i] * scale;
    if (width >= 1) {
      const visible = Math.max(x, left), right = Math.min(x + width, view.width);
      paint(i, visible, y, right - visible - (width > 3 ? 0.5 : 0), x);
      ++k;
    } else {
      const pixel = Math.floor(x), next = from + (pixel + 1 - left) / scale;
      if (pixel >= left) paint(i, pixel, y, 1, pixel);
      k = Math.max(k + 1, bisect(k + 1, indices.length, j => start[indices[j]] >= next));
    }
  }
};

// The span of a lane under a row and time, or -1. Within `slack` ns of it counts, so that thin ones can be met.
const spanAt = (lane, row, time, slack) => {
  const indices = lane.rows[row];
  if (!indices) return -1;
  const k = bisect(0, indices.length, i => lane.start[indices[i]] + lane.duration[indices[i]] > time - slack);
  return k < indices.length && lane.start[indices[k]] <= time + slack ? indices[k] : -1;
};
