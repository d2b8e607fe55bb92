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

// For each span of a row, the time of all before it, so that the time in any range is one subtraction; and the longest of each block.
const kBlock = 64;
const sumUp = (indices, duration) => {
  const count = indices.length, before = new Float64Array(count + 1), longest = new Uint32Array(Math.ceil(count / kBlock));
  let sum = 0;
  for (let block = 0, k = 0; k < count; ++block) {
    let best = indices[k];
    for (const end = Math.min(count, k + kBlock); k < end; ++k) {
      const i = indices[k];
      before[k + 1] = sum += duration[i];
      if (duration[i] > duration[best]) best = i;
    }
    longest[block] = best;
  }
  return Object.assign(indices, { before, longest });
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
  for (const indices of lane.rows) sumUp(indices, lane.duration);
  lane.rowOf = row;
  lane.collapsed = lane.kind === 'python';
};

const laneHeight = lane => (lane.collapsed ? 1 : lane.rows.length) * kRowHeight + kLaneGap;

// The longest of the spans [k, end) of a row; of many, of some blocks that stand equally far apart.
const kLooked = 6;
const longestOf = (indices, duration, k, end) => {
  const many = end - k > 2 * kBlock, list = many ? indices.longest : indices;
  const from = many ? Math.ceil(k / kBlock) : k, to = many ? Math.floor(end / kBlock) : end, stride = Math.ceil((to - from) / kLooked);
  let best = list[from];
  for (let at = from + stride; at < to; at += stride) if (duration[list[at]] > duration[best]) best = list[at];
  return best;
};

// Draws a row between the view's times. Spans below a pixel are merged into one, as high as the share of its time that they fill.
const drawRow = (lane, indices, y, view, paint) => {
  const { from, to, scale, left } = view, start = lane.start, duration = lane.duration;
  let k = bisect(0, indices.length, i => start[indices[i]] + duration[indices[i]] > from);
  while (k < indices.length && start[indices[k]] < to) {
    const i = indices[k], x = left + (start[i] - from) * scale, width = duration[i] * scale;
    if (width >= 1) {
      const visible = Math.max(x, left), right = Math.min(x + width, view.width);
      paint(i, visible, y, right - visible - (width > 3 ? 0.5 : 0), 1);
      ++k;
    } else {
      const pixel = Math.floor(x), next = from + (pixel + 1 - left) / scale;
      let end = Math.max(k + 1, bisect(k + 1, indices.length, j => start[indices[j]] >= next));
      if (end > k + 1 && duration[indices[end - 1]] * scale >= 1) --end;  // it begins in this pixel and is drawn by itself
      const filled = Math.min(1, (indices.before[end] - indices.before[k]) * scale);
      if (pixel >= left) paint(longestOf(indices, duration, k, end), pixel, y, 1, filled);
      k = end;
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
