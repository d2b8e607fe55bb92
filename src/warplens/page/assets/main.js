// The page: header, tabs, and the blocks of each section, made when a tab is first opened.
const kDrawers = { facts: drawFacts, bars: drawBars, table: drawTable, findings: drawFindings, lanes: drawTimeline,
  flames: drawFlames, series: drawSeries, picture: drawPicture, code: drawCode, heat: drawHeatMap };
let openSection = () => {}, currentSections = () => [];

// Asks the server of `warplens open` whether the files have changed, and loads the page again where they have. What is
// in view stays in view.
const followFiles = (shown, said) => {
  const look = async () => {
    let answer;
    try {
      answer = await (await fetch('version', { cache: 'no-store' })).text();
    } catch {
      said.textContent = 'This page no longer follows the files, because `warplens open` has ended.';
      return;
    }
    const [version, problem] = answer.split('\n');
    if (Number(version) !== shown) {
      sessionStorage.setItem('view', JSON.stringify({ timeline: timelineInView(), y: window.scrollY, dark: isDark() }));
      location.reload();
      return;
    }
    said.textContent = problem ? `This page shows the data before the last change: ${problem}.` : 'This page follows the files.';
    setTimeout(look, 2000);
  };
  look();
};

const start = async () => {
  setTheme(window.matchMedia('(prefers-color-scheme: dark)').matches);
  const page = await readPage();
  if (page.version !== null) {
    keptView = JSON.parse(sessionStorage.getItem('view') || '{}');
    sessionStorage.removeItem('view');
    if ('dark' in keptView) setTheme(keptView.dark);
  }
  timelineClasses = page.sections.flatMap(section => section.blocks).find(block => block.kind === 'lanes')?.classes || [];
  const panels = new Map(), tabs = new Map();
  const panelOf = section => make('main', { id: section.id, 'data-title': section.title, class: section.blocks.filter(block => block.kind === 'picture').length > 2 ? 'gallery' : null, role: 'tabpanel', 'aria-labelledby': `tab-${section.id}`, hidden: true });
  for (const section of page.sections) {
    panels.set(section.id, panelOf(section));
    tabs.set(section.id, make('button', { id: `tab-${section.id}`, role: 'tab', 'aria-controls': section.id, text: section.title,
      onclick: () => openSection(section.id) }));
  }
  let part = 0, shown = '';
  currentSections = () => page.sections.filter(section => section.part === 0 || section.part === part);
  const parts = page.parts.length ? make('select', { id: 'part', onchange: event => openPart(Number(event.target.value)) },
      page.parts.map((name, k) => make('option', { value: k + 1, text: name }))) : null;
  // The same tab of another part, where it has one.
  const openPart = number => {
    const [tab] = shown.split('-');
    const own = page.sections.filter(section => section.part === number);
    openSection((own.find(section => section.id.split('-')[0] === tab) || own[0] || page.sections[0]).id);
  };
  openSection = id => {
    const section = page.sections.find(each => each.id === id) || page.sections[0];
    if (section.part) part = section.part;
    else if (!part && page.parts.length) part = 1;
    if (parts) parts.value = part;
    const panel = panels.get(section.id);
    if (panel.hidden) window.scrollTo(0, 0);
    if (!panel.childElementCount) panel.append(...section.blocks.map(block => kDrawers[block.kind](block)));
    for (const [name, each] of panels) each.hidden = name !== section.id;
    const current = new Set(currentSections().map(each => each.id));
    for (const [name, tab] of tabs) {
      tab.hidden = !current.has(name);
      tab.setAttribute('aria-selected', name === section.id);
      tab.tabIndex = name === section.id ? 0 : -1;
    }
    tabs.get(section.id).scrollIntoView({ block: 'nearest', inline: 'nearest' });
    shown = section.id;
    // A frame of a notebook has no address of its own.
    if (location.protocol !== 'about:' && location.hash !== `#${shown}`) history.replaceState(null, '', `#${shown}`);
  };
  const list = make('div', { role: 'tablist', 'aria-label': 'Sections', onkeydown: event => {
    const ids = currentSections().map(section => section.id), by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!by) return;
    const at = ids.findIndex(id => tabs.get(id).getAttribute('aria-selected') === 'true');
    const next = ids[(at + by + ids.length) % ids.length];
    openSection(next);
    tabs.get(next).focus();
  } }, [...tabs.values()]);
  document.body.append(make('header', {},
      make('div', { class: 'bar' }, make('h1', { text: page.title }), parts ? make('label', { class: 'parts' }, `${page.part_title} `, parts) : null,
           make('button', { text: '◐', 'aria-label': 'Light or dark', title: 'Light or dark', onclick: () => setTheme(!isDark()) })),
      make('p', { class: page.whole ? 'integrity' : 'integrity broken' }, make('strong', { text: page.whole ? 'Data: ' : '\u26a0 Data: ' }), page.integrity),
      page.version === null ? null : make('p', { id: 'follows', class: 'note', role: 'status' }), list),
      ...panels.values());
  openSection(location.hash.slice(1));
  window.addEventListener('hashchange', () => openSection(location.hash.slice(1)));
  // On paper every section is shown, in light colours, with the evidence of its findings.
  let afterPrint = () => {};
  window.addEventListener('beforeprint', () => {
    const before = shown, wasDark = isDark(), closed = [];
    page.sections.forEach(section => openSection(section.id));
    openSection(before);
    setTheme(false);
    for (const each of document.querySelectorAll('.finding details:not([open])')) { each.open = true; closed.push(each); }
    afterPrint = () => { setTheme(wasDark); closed.forEach(each => { each.open = false; }); };
  });
  window.addEventListener('afterprint', () => afterPrint());
  if (page.version !== null) {
    window.scrollTo(0, keptView.y || 0);
    followFiles(page.version, document.getElementById('follows'));
  }
  document.documentElement.dataset.ready = 'yes';
  performance.mark('ready');
};

start().catch(error => {
  document.body.append(make('p', { class: 'failed', role: 'alert', text: `This page cannot be shown: ${error.message}. ` +
      'It needs a browser of 2023 or newer.' }));
});
