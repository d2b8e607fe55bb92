// Elements of the page. Texts are always text nodes, so that no name can become markup.
const make = (tag, attributes = {}, ...children) => {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (name === 'class') element.className = value || '';
    else if (name === 'text') element.textContent = value;
    else if (value === true) element.setAttribute(name, '');
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value);
  }
  for (const child of children.flat()) {
    if (child !== null && child !== undefined) element.append(child);
  }
  return element;
};

const heading = text => make('h2', { text });

// The meaning of a colour.
const makeKey = (name, colour) => {
  const dot = make('span', { class: 'dot' });
  dot.style.background = colour;
  return make('span', { class: 'key' }, dot, name);
};

// A canvas as wide as its parent, drawn again when that changes; `draw(context, width, height)` works in CSS pixels.
const makeCanvas = (label, draw) => {
  const canvas = make('canvas', { role: 'img', 'aria-label': label, tabindex: '0' });
  let pending = false;
  const redraw = () => {
    pending = false;
    const { width, height } = canvas.getBoundingClientRect();
    if (width === 0) return;
    const ratio = window.devicePixelRatio || 1;
    const [pixels, rows] = [Math.round(width * ratio), Math.round(height * ratio)];
    if (canvas.width !== pixels || canvas.height !== rows) { canvas.width = pixels; canvas.height = rows; }
    const context = canvas.getContext('2d');
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    draw(context, width, height);
  };
  canvas.redraw = () => {
    if (!pending) { pending = true; requestAnimationFrame(redraw); }
  };
  new ResizeObserver(canvas.redraw).observe(canvas);
  onThemeChange(canvas.redraw);
  return canvas;
};

// `text` cut in its middle to `width` pixels; '' if too few letters fit to distinguish it from others.
const kFewestLetters = 6;
const fitText = (context, text, width) => {
  if (text.length * 14 < width || (text.length * 4 < width * 2 && context.measureText(text).width <= width)) return text;
  if (width < 18) return '';
  const letter = context.measureText('aeo0').width / 4;
  for (let room = Math.floor(width / letter); room >= kFewestLetters; --room) {
    const head = Math.ceil((room - 1) / 2), cut = text.slice(0, head) + '…' + text.slice(text.length - (room - 1 - head));
    if (context.measureText(cut).width <= width) return cut;
  }
  return '';
};
