// The details of a span of the timeline, of a range, and of spans that belong together. Nothing here draws.

// The idle time that ended as a span of a device's stream began, as [lane, row], or null.
const idleBefore = (lanes, lane, i) => {
  const idle = lanes.find(other => other.kind === 'idle' && other.group === lane.group && other.side === lane.side);
  if (!idle) return null;
  const k = bisect(0, idle.count, j => idle.start[j] + idle.duration[j] >= lane.start[i]);
  return k < idle.count && idle.start[k] + idle.duration[k] === lane.start[i] ? [idle, k] : null;
};

// The call that launched a span, as {lane, i}, or null.
const launchOf = (lanes, lane, i) => {
  if (!lane.launches || lane.launchLane[i] === 0) return null;
  const from = lanes[lane.launchLane[i] - 1], time = lane.start[i] - lane.launchBefore[i];
  let k = bisect(0, from.count, j => from.start[j] > time) - 1;
  while (k > 0 && from.start[k - 1] === time) --k;
  // Of spans that begin together the outer comes first: the call is the innermost.
  while (k + 1 < from.count && from.start[k + 1] === time) ++k;
  return k >= 0 && from.start[k] === time ? { lane: from, i: k } : null;
};

// Spans of devices that a span of a host's thread launched.
const launchedBy = (lanes, lane, i, most) => {
  const number = lanes.indexOf(lane) + 1, from = lane.start[i], to = from + lane.duration[i], out = [];
  let time = 0, count = 0;
  for (const stream of lanes) {
    if (!stream.launches) continue;
    for (let k = 0; k < stream.count; ++k) {
      if (stream.launchLane[k] !== number) continue;
      const at = stream.start[k] - stream.launchBefore[k];
      if (at < from || at >= to + (to === from)) continue;
      ++count;
      time += stream.duration[k];
      if (out.length < most) out.push({ lane: stream, i: k });
    }
  }
  return { spans: out, count, time };
};

const laneName = lane => [lane.side, lane.group, lane.name].filter(Boolean).join(' ');

// [name, text] of everything that is known of a span.
const spanFacts = (block, { lane, i }) => {
  const { lanes, texts, classes } = block;
  const facts = [['lane', laneName(lane)], ['class', classes[lane.classOf[i]]],
    ['begins', formatNs(lane.start[i])], ['takes', formatNs(lane.duration[i])]];
  for (const line of texts[lane.detailOf[i]].split('\n').filter(Boolean)) {
    const colon = line.indexOf(': ');
    facts.push(colon > 0 && colon < 12 ? [line.slice(0, colon), line.slice(colon + 2)] : ['launch', line]);
  }
  if (lane.launches && lane.launchLane[i] > 0) {
    const call = launchOf(lanes, lane, i);
    facts.push(['launched', `${formatNs(lane.launchBefore[i])} before it began, by ${call ? `${texts[call.lane.nameOf[call.i]]} of ` : ''}` +
        laneName(lanes[lane.launchLane[i] - 1])]);
  }
  if (lane.kind === 'stream') {
    const idle = idleBefore(lanes, lane, i);
    facts.push(['before it', idle ? `the GPU was ${texts[idle[0].nameOf[idle[1]]]} for ${formatNs(idle[0].duration[idle[1]])}` +
        (idle[0].detailOf[idle[1]] ? `; ${texts[idle[0].detailOf[idle[1]]]}` : '') : 'the GPU was at work, or no gap was recorded']);
  }
  if (lane.kind === 'thread') {
    const { count, time } = launchedBy(lanes, lane, i, 0);
    if (count) facts.push(['GPU', `it launched ${count} kernels and copies, ${formatNs(time)} together`]);
  }
  return facts;
};

// Times in [from, to) of the given lanes' outermost spans: by lane and class, and by name.
const sumRange = (block, lanes, from, to) => {
  const byClass = new Map(), byName = new Map();
  for (const lane of lanes) {
    const indices = lane.rows[0];
    let k = bisect(0, indices.length, i => lane.start[indices[i]] + lane.duration[indices[i]] > from);
    for (; k < indices.length && lane.start[indices[k]] < to; ++k) {
      const i = indices[k], time = Math.min(to, lane.start[i] + lane.duration[i]) - Math.max(from, lane.start[i]);
      for (const [map, key, names] of [[byClass, `${laneName(lane)}\n${lane.classOf[i]}`, [laneName(lane), block.classes[lane.classOf[i]]]],
        [byName, `${lane.kind}\n${lane.nameOf[i]}`, [block.texts[lane.nameOf[i]], block.classes[lane.classOf[i]]]]]) {
        const row = map.get(key) || map.set(key, { names, time: 0, count: 0 }).get(key);
        row.time += time;
        ++row.count;
      }
    }
  }
  const sorted = map => [...map.values()].sort((a, b) => b.time - a.time);
  return { byClass: sorted(byClass), byName: sorted(byName) };
};

const sumsTable = (title, heads, rows, whole) => make('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': title },
    make('table', {}, make('caption', { text: title }),
        make('thead', {}, make('tr', {}, heads.map((text, k) => make('th', { scope: 'col', class: k > 1 ? 'number' : '', text })))),
        make('tbody', {}, rows.slice(0, 30).map(({ names, time, count }) => make('tr', {},
            [...names, count, formatNs(Math.round(time)), formatShare(time / whole)].map((text, k) =>
                make('td', { class: k > 1 ? 'number' : '', text: String(text), title: String(text).length > 60 ? text : null })))))));

// Elements that show the contents of a range.
const describeSums = (block, lanes, from, to) => {
  const { byClass, byName } = sumRange(block, lanes, from, to), length = to - from;
  return [make('h3', { text: `${formatNs(Math.round(length))} from ${formatNs(Math.round(from))}, ${lanes.length} lanes` }),
    sumsTable('By lane and class', ['lane', 'class', 'spans', 'time', 'of the range'], byClass, length),
    sumsTable(`By name${byName.length > 30 ? `, the first 30 of ${byName.length}` : ''}`, ['name', 'class', 'spans', 'time', 'of the range'],
        byName, length)];
};

// Spans in the view as a table, for those who do not see the canvas.
const viewTable = (block, from, to) => {
  const rows = [];
  for (const lane of block.lanes) {
    const first = bisect(0, lane.rows[0].length, i => lane.start[lane.rows[0][i]] + lane.duration[lane.rows[0][i]] > from);
    for (let k = first; k < lane.rows[0].length && lane.start[lane.rows[0][k]] < to; ++k) rows.push([lane, lane.rows[0][k]]);
  }
  rows.sort(([a, i], [b, j]) => b.duration[j] - a.duration[i]);
  const shown = rows.slice(0, 100).sort(([a, i], [b, j]) => a.start[i] - b.start[j]);
  return make('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Spans in the view' }, make('table', {},
      make('caption', { text: `The ${shown.length} longest of ${rows.length} outermost spans in the view, by their start` }),
      make('thead', {}, make('tr', {}, ['lane', 'name', 'class', 'begins', 'takes'].map(text => make('th', { scope: 'col', text })))),
      make('tbody', {}, shown.map(([lane, i]) => make('tr', {}, [laneName(lane), block.texts[lane.nameOf[i]], block.classes[lane.classOf[i]],
        formatNs(lane.start[i]), formatNs(lane.duration[i])].map(text => make('td', { text })))))));
};

// Two profiles beside each other: steps of the same number from the first begin at the same time.
const alignSteps = (lanes, k) => {
  const sides = [...new Set(lanes.map(lane => lane.side))].map(side => {
    const steps = lanes.find(lane => lane.side === side && lane.kind === 'steps');
    return { side, steps, shift: steps?.shift || 0 };
  });
  const starts = sides.map(({ steps, shift }) => k === null || !steps ? 0 : steps.start[k] - shift);
  const latest = Math.max(...starts);
  sides.forEach(({ side, shift }, s) => {
    const wanted = latest - starts[s];
    for (const lane of lanes) {
      if (lane.side !== side) continue;
      for (let i = 0; i < lane.count; ++i) lane.start[i] += wanted - shift;
      lane.shift = wanted;
    }
  });
  const lengths = sides.map(({ steps }) => k === null || !steps ? 0 : steps.duration[k]);
  return { from: latest, length: Math.max(...lengths), lengths: sides.map(({ side }, s) => [side, lengths[s]]) };
};
