// The page: header, tabs, and the blocks of each section, made when a tab is first opened.
const kDrawers = { facts: drawFacts, bars: drawBars, table: drawTable, findings: drawFindings, lanes: drawTimeline,
  flames: drawFlames, series: drawSeries };
let openSection = () => {};

const start = async () => {
  setTheme(window.matchMedia('(prefers-color-scheme: dark)').matches);
  const page = await readPage();
  const panels = new Map(), tabs = new Map();
  const panelOf = section => make('main', { id: section.id, role: 'tabpanel', 'aria-labelledby': `tab-${section.id}`, hidden: true });
  for (const section of page.sections) {
    panels.set(section.id, panelOf(section));
    tabs.set(section.id, make('button', { id: `tab-${section.id}`, role: 'tab', 'aria-controls': section.id, text: section.title,
      onclick: () => openSection(section.id) }));
  }
  openSection = id => {
    const section = page.sections.find(each => each.id === id) || page.sections[0];
    const panel = panels.get(section.id);
    if (!panel.childElementCount) panel.append(...section.blocks.map(block => kDrawers[block.kind](block)));
    for (const [name, each] of panels) each.hidden = name !== section.id;
    for (const [name, tab] of tabs) {
      tab.setAttribute('aria-selected', name === section.id);
      tab.tabIndex = name === section.id ? 0 : -1;
    }
    if (location.hash !== `#${section.id}`) history.replaceState(null, '', `#${section.id}`);
  };
  const list = make('div', { role: 'tablist', 'aria-label': 'Sections', onkeydown: event => {
    const ids = [...tabs.keys()], by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!by) return;
    const at = ids.findIndex(id => tabs.get(id).getAttribute('aria-selected') === 'true');
    const next = ids[(at + by + ids.length) % ids.length];
    openSection(next);
    tabs.get(next).focus();
  } }, [...tabs.values()]);
  document.body.append(make('header', {},
      make('div', { class: 'bar' }, make('h1', { text: page.title }), make('span', { class: 'spring' }),
           make('button', { text: '◐', 'aria-label': 'Light or dark', title: 'Light or dark', onclick: () => setTheme(!isDark()) })),
      make('p', { class: 'integrity' }, make('strong', { text: 'Data: ' }), page.integrity), list),
      ...panels.values());
  openSection(location.hash.slice(1));
  window.addEventListener('hashchange', () => openSection(location.hash.slice(1)));
  window.addEventListener('beforeprint', () => page.sections.forEach(section => openSection(section.id)));
  document.documentElement.dataset.ready = 'yes';
};

start().catch(error => {
  document.body.append(make('p', { class: 'failed', role: 'alert', text: `This page cannot be shown: ${error.message}. ` +
      'It needs a browser of 2023 or newer.' }));
});
