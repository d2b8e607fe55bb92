// The timeline's search: by name, by class, and by the details of a span. Matches stand out, and are visited one by one.

// The parts of a finding's place, which are searched one by one: "aten::mul in Block_1 at gpt.py(12): forward" has three, and
// "786 MiB (10.5 %) aten::add" has one.
const termsOfPlace = place => place.replace(/^[\d.]+ \S+ \([^)]*\) /, '').split(/ in | at /);

const makeTimelineSearch = (block, state, { select, view, canvas, redraw }) => {
  const { lanes, texts, classes } = block;
  const said = make('span', { class: 'note', role: 'status' });
  const rowsWith = (list, term) => new Set([...list.keys()].filter(row => list[row].toLowerCase().includes(term)));
  const isMatch = (lane, i) => state.matches.every(term =>
      term.texts.has(lane.nameOf[i]) || term.texts.has(lane.detailOf[i]) || term.classes.has(lane.classOf[i]));

  // Marks the spans that every term fits; how many they are.
  const search = terms => {
    const wanted = terms.map(term => term.trim().toLowerCase()).filter(Boolean);
    let count = 0, time = 0;
    state.matches = wanted.length ? wanted.map(term => ({ texts: rowsWith(texts, term), classes: rowsWith(classes, term) })) : null;
    if (state.matches) {
      state.found = new Map(lanes.map(lane => [lane, lane.rows.map(row => sumUp(row.filter(i => isMatch(lane, i)), lane.duration))]));
      for (const [lane, rows] of state.found) {
        for (const row of rows) {
          count += row.length;
          if (lane.kind === 'stream') time += row.before[row.length];
        }
      }
    }
    state.searchedAnew = true;
    said.textContent = !state.matches ? '' : count ? `${count} spans, ${formatNs(time)} on GPUs` : 'nothing found';
    redraw();
    return count;
  };

  const stepThroughMatches = by => {
    const places = [...state.found].flatMap(([lane, rows]) => rows.flatMap(row => Array.from(row, i => [lane.start[i], lane, i])));
    if (!places.length) return;
    places.sort((a, b) => (b[1].kind === 'stream') - (a[1].kind === 'stream') || a[0] - b[0]);  // of devices first
    // A new search begins at its first match, also where the selected span fits it.
    const at = state.searchedAnew ? -1 : places.findIndex(([, lane, i]) => lane === state.selected?.lane && i === state.selected?.i);
    const [, lane, i] = places[(at + by + places.length + (at < 0 && by < 0 ? 1 : 0)) % places.length];
    select({ lane, i });
    view.reveal({ lane, i });
  };
  // The next or previous span that the search found, or the neighbour of the selected one.
  const step = by => {
    if (state.matches) { stepThroughMatches(by); return; }
    const start = state.selected || { lane: lanes.find(lane => lane.kind === 'stream') || lanes[0], i: by > 0 ? -1 : 0 };
    const i = start.i + by;
    if (i < 0 || i >= start.lane.count) return;
    select({ lane: start.lane, i });
    view.show(state.selected);
  };

  const box = make('input', { type: 'search', placeholder: 'Search names, operators, shapes ( / )', 'aria-label': 'Search the timeline',
    oninput: event => search([event.target.value]),
    onkeydown: event => {
      if (event.key === 'Enter') { event.preventDefault(); step(event.shiftKey ? -1 : 1); }
      if (event.key === 'Escape') { box.value = ''; search([]); canvas().focus(); }
    } });
  const find = text => { box.value = text; return search([text]); };
  // A place as findings name it: as it stands, or else its parts, without the last ones where those are not known here.
  const findPlace = place => {
    const terms = termsOfPlace(place);
    if (!find(place)) while (terms.length && !search(terms)) terms.pop();
    step(1);
  };
  document.addEventListener('keydown', event => {
    if (event.key === '/' && !['INPUT', 'TEXTAREA'].includes(event.target.tagName) && box.offsetParent) {
      event.preventDefault();
      box.focus();
    }
  });
  return { box, said, find, findPlace, step };
};
