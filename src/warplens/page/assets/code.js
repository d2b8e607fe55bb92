// Code side by side. A line that is selected marks the lines of the same place in the other columns.
const codeListeners = [];

// Opens what the page knows of a place: its line of code in the part that is shown, or else a search in the timeline.
const sectionsOf = place => currentSections().filter(section => section.blocks.some(block => block.kind === 'code' &&
    block.panes.some(pane => pane.lines.some(line => line[2] === place))));
const hasTimeline = () => currentSections().some(section => section.id === 'timeline');
const canShow = place => hasTimeline() || sectionsOf(place).length > 0;
const showPlace = place => {
  const [code] = sectionsOf(place);
  openSection(code ? code.id : 'timeline');
  if (!code) showInTimeline(place);
  else for (const listener of codeListeners) listener(place);
};

const drawCode = block => {
  const titles = [...new Set(block.panes.flatMap(pane => pane.columns.filter(c => c.number).map(c => c.title.trim())))];
  const hasHeat = title => block.panes.some(pane => heatColumn(pane, title) >= 0);
  const heatColumn = (pane, title) => pane.columns.findIndex(c => c.number && (c.title.trim() === title ||
      (title.endsWith(` ${c.title.trim()}`) && !pane.columns.some(d => d.title.trim() === title))));
  let heat = hasHeat(block.heat) ? block.heat : titles[0];
  const byPlace = new Map();
  const rows = [];

  const select = (place, from) => {
    for (const row of rows) row.element.classList.toggle('marked', row.place === place && place !== '');
    rows.forEach(row => row.element.setAttribute('aria-selected', row.place === place && place !== ''));
    for (const pane of new Set(rows.map(row => row.pane))) {
      if (pane === from) continue;
      const first = rows.find(row => row.pane === pane && row.place === place);
      if (first && place) first.pane.scrollTo({ top: first.element.offsetTop - first.pane.clientHeight / 3 });
    }
    said.textContent = place ? `${place}: ${(byPlace.get(place) || []).length} lines in ${block.panes.length} columns` : '';
  };
  codeListeners.push(place => { if (byPlace.has(place)) select(place, null); });

  const drawPane = pane => {
    const body = make('tbody'), box = make('div', { class: 'code scroll', tabindex: '0', role: 'region', 'aria-label': pane.name });
    pane.lines.forEach(([label, text, place, cells]) => {
      const element = make('tr', { class: place ? 'placed' : '', 'aria-selected': 'false' },
          make('th', { scope: 'row', text: label }), pane.columns.length ? make('td', { class: 'number first' }) : null, make('td', { class: 'text', text }),
          pane.columns.map((column, c) => make('td', { class: column.number ? 'number' : 'why', text: cells ? cells[c][0] : '' })));
      const row = { element, place, pane: box, cells, columns: pane };
      rows.push(row);
      if (place) (byPlace.get(place) || byPlace.set(place, []).get(place)).push(row);
      element.addEventListener('click', () => select(place, box));
      body.append(element);
    });
    let at = -1;
    box.addEventListener('keydown', event => {
      const by = { ArrowDown: 1, ArrowUp: -1, j: 1, k: -1 }[event.key];
      if (!by) return;
      event.preventDefault();
      const own = rows.filter(row => row.pane === box && row.place);
      at = Math.max(0, Math.min(own.length - 1, at + by));
      if (!own[at]) return;
      select(own[at].place, box);
      own[at].element.scrollIntoView({ block: 'nearest' });
    });
    box.append(make('table', {}, make('thead', {}, make('tr', {}, make('th', { scope: 'col', text: pane.name === 'Source' ? 'line' : '#' }),
        pane.columns.length ? make('th', { scope: 'col', class: 'number first' }) : null, make('th', { scope: 'col', text: pane.name }), pane.columns.map(column =>
            make('th', { scope: 'col', class: column.number ? 'number' : '', text: column.title })))), body));
    return make('div', { class: 'pane' }, make('h3', { text: pane.name }), pane.note ? make('p', { class: 'note', text: pane.note }) : null, box);
  };

  // The chosen number stands first, over a bar as long as its share of the column's largest.
  const drawHeat = () => {
    for (const pane of block.panes) {
      const c = heatColumn(pane, heat), own = rows.filter(row => row.columns === pane);
      if (!pane.columns.length || !own.length) continue;
      own[0].pane.querySelector('th.first').textContent = c < 0 ? '' : heat;
      own[0].pane.querySelectorAll('tr').forEach(tr => [...tr.children].slice(3).forEach((cell, k) => cell.classList.toggle('chosen', k === c)));
      const most = Math.max(1, ...own.map(row => (row.cells && c >= 0 && row.cells[c][1]) || 0));
      for (const row of own) {
        const cell = row.element.children[1], value = c >= 0 && row.cells ? row.cells[c] : ['', 0];
        cell.textContent = value[0];
        cell.classList.toggle('hot', value[1] > 0);
        cell.style.setProperty('--share', `${(100 * (value[1] || 0) / most).toFixed(1)}%`);
      }
    }
  };
  const costliest = () => {
    const pane = block.panes.find(each => heatColumn(each, heat) >= 0);
    if (!pane) return;
    const c = heatColumn(pane, heat);
    let best = null;
    for (const row of rows) if (row.columns === pane && row.cells && row.place && (!best || row.cells[c][1] > best.cells[c][1])) best = row;
    if (best) select(best.place, null);
  };

  const said = make('p', { class: 'note', role: 'status' });
  const panes = block.panes.map(drawPane);
  const shown = make('div', { class: 'panes' }, panes);
  const chooser = titles.length ? make('label', {}, 'Bars show ', make('select', { onchange: event => { heat = event.target.value; drawHeat(); } },
      titles.map(title => make('option', { text: title, value: title, selected: title === heat })))) : null;
  const toggles = block.panes.length > 1 ? block.panes.map((pane, k) => make('label', { class: 'toggle' },
      make('input', { type: 'checkbox', checked: true, onchange: event => { panes[k].hidden = !event.target.checked; } }), pane.name)) : [];
  drawHeat();
  return make('section', { class: 'block' }, make('div', { class: 'bar' }, heading(block.title), toggles, chooser,
      titles.length ? make('button', { text: 'Costliest line', onclick: costliest }) : null),
      make('p', { class: 'note', text: `${block.note} Keys: arrows move through the lines of a column.` }), said, shown);
};
