// Pictures: the elements of the program's own SVG, made one by one, so that no text of them can become anything else.
const kSvg = 'http://www.w3.org/2000/svg';
const kSvgTags = new Set(['g', 'path', 'rect', 'circle', 'text', 'title', 'tspan']);
const kSvgAttributes = new Set(['class', 'd', 'x', 'y', 'width', 'height', 'rx', 'cx', 'cy', 'r', 'fill', 'opacity', 'transform',
  'text-anchor', 'font-size', 'font-weight', 'stroke-width', 'stroke-dasharray', 'stroke-linejoin', 'stroke-linecap']);

const copySvg = (from, to) => {
  for (const node of from.childNodes) {
    if (node.nodeType === Node.TEXT_NODE) { to.append(node.data); continue; }
    if (!kSvgTags.has(node.localName)) continue;
    const copy = document.createElementNS(kSvg, node.localName);
    for (const { name, value } of node.attributes) if (kSvgAttributes.has(name)) copy.setAttribute(name, value);
    copySvg(node, copy);
    to.append(copy);
  }
  return to;
};

const makeSvg = ({ body, width, height }, label, kind) => {
  const parsed = new DOMParser().parseFromString(`<svg xmlns="${kSvg}">${body}</svg>`, 'image/svg+xml');
  const svg = document.createElementNS(kSvg, 'svg');
  for (const [name, value] of Object.entries({ viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': label,
    class: `picture ${kind}`, width, height })) svg.setAttribute(name, value);
  return copySvg(parsed.documentElement, svg);
};

// The style shows one of its two drawings, by the width of the window.
const drawPicture = block => {
  const link = block.place ? make('button', { class: 'place', text: block.place, title: 'Show this line of the code',
    onclick: () => showPlace(block.place) }) : null;
  const title = block.title && block.title !== block.label ? heading(block.title) : null;
  const note = block.note ? make('span', { class: 'note spring', text: block.note }) : null;
  const [wide, narrow] = block.drawings;
  return make('section', { class: 'block' }, title || note || link ? make('div', { class: 'bar' }, title, note, link) : null,
      make('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': block.title || block.label },
          makeSvg(wide, block.label, 'on-wide'), makeSvg(narrow, block.label, 'on-narrow')));
};
