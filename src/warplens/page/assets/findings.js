// Findings: what is wrong, the evidence, where, and what to do.
const drawFinding = (finding, number) => make('article', { class: `finding ${finding.level}` },
    make('h3', {}, make('span', { class: 'level', text: finding.level }), ` ${number}. ${finding.title}`),
    make('p', { class: 'saving', text: [finding.id, finding.saving].filter(Boolean).join(': ') }),
    finding.detail ? make('p', { text: finding.detail }) : null,
    finding.where.length ? make('p', { class: 'where' }, 'Where: ', finding.where.map((place, i) =>
        [i ? ', ' : '', make('button', { class: 'place', text: place, title: 'Search for it in the timeline',
          onclick: () => showInTimeline(place) })]).flat()) : null,
    make('p', {}, make('strong', { text: 'Do: ' }), finding.advice));

const drawFindings = block => make('section', { class: 'block' }, heading('Findings'),
    block.note ? make('p', { class: 'note', text: block.note }) : null,
    block.findings.map((finding, i) => drawFinding(finding, i + 1)));

const drawFacts = block => make('section', { class: 'block' }, make('dl', { class: 'facts' },
    block.rows.map(([name, text]) => [make('dt', { text: name }), make('dd', { text })]).flat()));
