// Findings: what is wrong, the evidence, where, and what to do.
let timelineClasses = [];

// A finding without places is of a class of work or a cause of idle time: "fp32-gemm" of gemm, "launch-bound" of that cause.
const classOfFinding = id => [name => name === `idle: ${id}`, name => id.split('-').includes(name),
  name => id.startsWith('idle-') && name.startsWith('idle: ')].map(test => timelineClasses.find(test)).find(Boolean);
// The moment itself, where it is known: a span of the timeline.
const drawSpot = (finding, side) => finding.spot === null || !hasTimeline() ? null
  : make('button', { class: 'place spot', text: `at ${formatNs(finding.spot)}`, title: 'Show the longest of them in the timeline',
      onclick: () => { openSection('timeline'); showSpot(finding.spot, side); } });
const placesOf = finding => finding.where.length ? finding.where : [classOfFinding(finding.id)].filter(Boolean);

const drawPlace = place => canShow(place)
  ? make('button', { class: 'place', text: place, title: 'Show it in the code or the timeline', onclick: () => showPlace(place) })
  : make('span', { class: 'place', text: place });
const drawFinding = (finding, number, side) => make('article', { class: `finding ${finding.level}` },
    make('h3', {}, make('span', { class: 'level', text: finding.level }), ` ${number}. ${finding.title}`),
    make('p', { class: 'saving' }, make('span', { class: 'id', text: finding.saving ? `${finding.id}: ` : finding.id }), finding.saving),
    make('p', { class: 'advice' }, make('strong', { text: 'Do: ' }), finding.advice),
    finding.detail ? make('p', { class: 'why', text: finding.detail }) : null,
    placesOf(finding).length || finding.spot !== null ? make('p', { class: 'where' }, finding.where.length ? 'Where: ' : 'In the timeline: ',
        placesOf(finding).map(drawPlace), drawSpot(finding, side)) : null,
    finding.kernels.length ? make('details', {}, make('summary', { text: 'Counted kernels' }),
        make('ul', {}, finding.kernels.map(text => make('li', { text })))) : null,
    finding.evidence.length ? make('details', {}, make('summary', { text: 'Evidence' }), make('dl', { class: 'facts' },
        finding.evidence.map(([name, text]) => [make('dt', { text: name }), make('dd', { text })]).flat())) : null);

const drawFindings = block => make('section', { class: 'block' }, heading('Findings'),
    block.note ? make('p', { class: 'note', text: block.note }) : null,
    block.findings.map((finding, i) => drawFinding(finding, i + 1, block.side)));

// A bar that the terminal draws of characters is drawn as one here; the number stays beside it.
const drawFact = text => {
  const bar = /^[\u2580-\u259f][\u2580-\u259f\s·]*/.exec(text), share = bar && /([\d.]+) %/.exec(text);
  if (!share) return make('dd', { text });
  const fill = make('div', { class: 'fill' });
  fill.style.width = `${Math.min(100, Number(share[1]))}%`;
  return make('dd', { class: 'with-bar' }, make('div', { class: 'track' }, fill), text.slice(bar[0].length));
};

// The answer of the page stands out.
const kAnswers = new Set(['change']);
const drawFacts = block => make('section', { class: 'block' }, make('dl', { class: 'facts' },
    block.rows.map(([name, text]) => [make('dt', { text: name }), kAnswers.has(name) ? make('dd', { class: 'answer', text }) : drawFact(text)]).flat()));
