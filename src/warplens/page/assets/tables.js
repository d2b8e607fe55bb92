// Tables: cells are [text, value]; texts come from the program, values decide the order.
const kFirstRows = 100, kShort = 13;

const compareCells = (a, b) => {
  const [x, y] = [a[1], b[1]];
  if (x === null || y === null) return (x === null) - (y === null);
  return typeof x === 'number' && typeof y === 'number' ? x - y : String(x).localeCompare(String(y));
};

// A link is a section of the page, "#code-2", or a place.
const follow = link => link.startsWith('#') ? openSection(link.slice(1)) : showPlace(link);

// Columns in which some row holds something.
const filledColumns = block => [...block.columns.keys()].filter(c => block.rows.some(row => !['', '-'].includes(row[c][0])));

const drawTable = full => {
  if (!full.rows.length) return make('section', { class: 'block' }, heading(full.title), make('p', { class: 'note', text: 'None in these data.' }));
  const kept = filledColumns(full), block = { ...full, columns: kept.map(c => full.columns[c]), rows: full.rows.map(row => kept.map(c => row[c])) };
  const linked = Math.max(0, block.columns.findIndex(column => !column.number));  // the cell that carries a row's link
  let order = block.rows.map((_, i) => i), sorted = -1, descending = false, shown = kFirstRows, pattern = '';
  const body = make('tbody'), status = make('p', { class: 'note', role: 'status' });
  const more = make('button', { text: 'Show all rows', onclick: () => { shown = Infinity; fill(); } });
  const headers = block.columns.map((column, c) => make('th', { scope: 'col', class: column.number ? 'number' : '' },
      make('button', { text: column.title, onclick: () => sortBy(c) })));

  const fill = () => {
    const rows = order.map(i => block.rows[i])
        .filter(row => !pattern || row.some(cell => cell[0].toLowerCase().includes(pattern)));
    body.replaceChildren(...rows.slice(0, shown).map(row => {
      const link = block.links[block.rows.indexOf(row)];
      return make('tr', {}, row.map((cell, c) => {
        const attributes = { class: block.columns[c].number ? 'number' : '', title: cell[0].length > 60 ? cell[0] : null };
        return link && c === linked ? make('td', attributes, make('button', { class: 'place', text: cell[0], onclick: () => follow(link) }))
                                    : make('td', attributes, block.columns[c].number ? cell[0] : make('div', { class: `cell ${cell[0].length > kShort ? 'long' : 'short'}`, text: cell[0] }));
      }));
    }));
    more.hidden = rows.length <= shown;
    status.textContent = rows.length > Math.min(shown, rows.length) || pattern
        ? `${Math.min(shown, rows.length)} of ${block.rows.length} rows` : '';
  };
  const sortBy = c => {
    descending = sorted === c ? !descending : block.columns[c].number;
    sorted = c;
    order.sort((a, b) => compareCells(block.rows[a][c], block.rows[b][c]) * (descending ? -1 : 1));
    headers.forEach((header, i) =>
        i === c ? header.setAttribute('aria-sort', descending ? 'descending' : 'ascending')
                : header.removeAttribute('aria-sort'));
    fill();
  };
  // Long names are cut to a few lines; a click shows one whole.
  body.addEventListener('click', event => { if (event.target.classList.contains('long')) event.target.classList.add('whole'); });
  const filter = make('input', { type: 'search', placeholder: 'Filter rows', 'aria-label': `Filter ${block.title}`,
    oninput: event => { pattern = event.target.value.toLowerCase(); fill(); } });
  fill();
  return make('section', { class: 'block' },
      make('div', { class: 'bar' }, heading(block.title), block.rows.length > 5 ? filter : null),
      block.note ? make('p', { class: 'note', text: block.note }) : null,
      make('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': block.title },
          make('table', { class: block.columns.length > 10 ? 'wide' : null }, make('thead', {}, make('tr', {}, headers)), body)),
      status, more);
};
