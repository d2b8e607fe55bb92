// What is wrong with how a page looks, measured by boxes and colours: run in the page by tests/page_looks_test.py.
(() => {
  // Texts on canvases are noted when they are drawn: their box, their colour, and the colour that lies below most of it.
  const noted = new WeakMap(), { fillText, clearRect } = CanvasRenderingContext2D.prototype;
  const { getContext } = HTMLCanvasElement.prototype;
  HTMLCanvasElement.prototype.getContext = function (kind, more) {
    return getContext.call(this, kind, { ...more, willReadFrequently: true });
  };
  CanvasRenderingContext2D.prototype.clearRect = function (...box) {
    noted.set(this.canvas, []);
    return clearRect.apply(this, box);
  };
  CanvasRenderingContext2D.prototype.fillText = function (text, x, y, ...more) {
    if (this.canvas.isConnected && text) {
      const size = this.measureText(text), scale = this.getTransform().a;
      const box = { left: x - size.actualBoundingBoxLeft, right: x + size.actualBoundingBoxRight,
        top: y - size.actualBoundingBoxAscent, bottom: y + size.actualBoundingBoxDescent };
      const pixels = this.getImageData(box.left * scale, box.top * scale, Math.max(1, (box.right - box.left) * scale),
          Math.max(1, (box.bottom - box.top) * scale)).data, counts = new Map();
      for (let i = 0; i < pixels.length; i += 4) {
        const colour = [...pixels.slice(i, i + 4)].join(' ');
        counts.set(colour, (counts.get(colour) || 0) + 1);
      }
      const below = [...counts].sort((a, b) => b[1] - a[1])[0][0].split(' ').map(Number);
      noted.get(this.canvas)?.push({ text, ...box, colour: this.fillStyle, below });
    }
    return fillText.call(this, text, x, y, ...more);
  };

  const probe = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
  const known = new Map();
  const rgba = colour => {  // 0..255 each, of any CSS colour
    if (!known.has(colour)) {
      probe.clearRect(0, 0, 1, 1);
      probe.fillStyle = colour;
      probe.fillRect(0, 0, 1, 1);
      known.set(colour, [...probe.getImageData(0, 0, 1, 1).data]);
    }
    return known.get(colour);
  };
  const over = ([r, g, b, a], below) => [r, g, b].map((value, k) => (value * a + below[k] * (255 - a)) / 255);
  const luminance = rgb => rgb.map(value => value / 255).map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
      .reduce((sum, v, k) => sum + v * [0.2126, 0.7152, 0.0722][k], 0);
  const contrast = (a, b) => {
    const [x, y] = [luminance(a), luminance(b)];
    return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
  };

  // Every colour that may lie below an element's text: gradients have several.
  let found = new Map();
  const grounds = element => {
    if (!element) return [rgba('white').slice(0, 3)];
    if (!found.has(element)) {
      const style = getComputedStyle(element), stops = style.backgroundImage.match(/(rgba?|color|hsla?|oklab)\([^)]*\)/g) || [];
      const filled = grounds(element.parentElement).map(rgb => over(rgba(style.backgroundColor), rgb));
      found.set(element, stops.length ? stops.flatMap(stop => filled.map(rgb => over(rgba(stop), rgb))) : filled);
    }
    return found.get(element);
  };

  const shows = element => element.checkVisibility({ visibilityProperty: true, opacityProperty: true });
  const isSticky = element => {
    for (let each = element; each && each.tagName !== 'HEADER'; each = each.parentElement)
      if (getComputedStyle(each).position === 'sticky') return true;
    return false;
  };

  // A text's boxes inside all that clips it, and whether something hides a part that nobody can scroll to.
  const clipped = (element, boxes) => {
    let cut = false;
    for (let each = element; each; each = each.parentElement) {
      const style = getComputedStyle(each);
      if (style.overflowX === 'visible' || each === document.documentElement || each === document.body) continue;
      const frame = each.getBoundingClientRect(), scrolls = ['auto', 'scroll'].includes(style.overflowX);
      const says = style.textOverflow === 'ellipsis' || style.webkitLineClamp !== 'none';
      boxes = boxes.map(box => {
        if (!scrolls && !says && (box.left < frame.left - 1 || box.right > frame.right + 1 || box.bottom > frame.bottom + 2)) cut = true;
        return { left: Math.max(box.left, frame.left), right: Math.min(box.right, frame.right), top: Math.max(box.top, frame.top),
          bottom: Math.min(box.bottom, frame.bottom) };
      }).filter(box => box.right - box.left > 1 && box.bottom - box.top > 1);
    }
    return { boxes, cut };
  };

  const overlaps = texts => {
    const wrong = [], sorted = texts.toSorted((a, b) => a.top - b.top);
    sorted.forEach((a, i) => {
      for (let j = i + 1; j < sorted.length && sorted[j].top < a.bottom - 3; ++j) {
        const b = sorted[j];
        if (a.of !== b.of && Math.min(a.right, b.right) - Math.max(a.left, b.left) > 2 && Math.min(a.bottom, b.bottom) - b.top > 3)
          wrong.push(`overlap: "${a.text.slice(0, 40)}" and "${b.text.slice(0, 40)}"`);
      }
    });
    return wrong;
  };

  const checkTexts = () => {
    const wrong = [], texts = [], walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const judged = new Map();
    while (walker.nextNode()) {
      const node = walker.currentNode, element = node.parentElement, text = node.data.trim();
      if (!text || ['SCRIPT', 'STYLE', 'NOSCRIPT', 'OPTION', 'TITLE', 'title'].includes(element.tagName) || !shows(element)) continue;
      const range = document.createRange();
      range.selectNodeContents(node);
      const { boxes, cut } = clipped(element, [...range.getClientRects()]);
      if (cut) wrong.push(`cut: "${text.slice(0, 60)}"`);
      for (const box of boxes) {
        if (box.right > innerWidth + 1 || box.left < -1) wrong.push(`outside the window: "${text.slice(0, 60)}"`);
        if (!isSticky(element)) texts.push({ ...box, text, of: node });
      }
      const style = getComputedStyle(element), svg = element.namespaceURI.endsWith('svg');
      const matrix = svg ? element.getScreenCTM() : { a: 1, b: 0 };
      const size = parseFloat(style.fontSize) * Math.hypot(matrix.a, matrix.b);
      if (size < 8) wrong.push(`${size.toFixed(1)} pixels high: "${text.slice(0, 60)}"`);
      const ink = rgba(svg ? style.fill : style.color), key = `${ink} ${grounds(element)}`;
      if (!judged.has(key)) judged.set(key, Math.min(...grounds(element).map(rgb => contrast(over(ink, rgb), rgb))));
      const large = parseFloat(style.fontSize) >= 24 || (parseFloat(style.fontSize) >= 18.66 && style.fontWeight >= 700);
      if (judged.get(key) < (large ? 3 : 4.5)) wrong.push(`contrast ${judged.get(key).toFixed(1)}: "${text.slice(0, 60)}"`);
    }
    return [...wrong, ...overlaps(texts)];
  };

  const checkCanvas = canvas => {
    const texts = noted.get(canvas) || [], wrong = overlaps(texts.map(text => ({ ...text, of: text })));
    const ground = grounds(canvas)[0], { width, height } = canvas.getBoundingClientRect();
    for (const { text, left, right, top, bottom, colour, below } of texts) {
      const ratio = contrast(over(rgba(colour), over(below, ground)), over(below, ground));
      if (ratio < 4.5) wrong.push(`contrast ${ratio.toFixed(1)}: "${text}" on a canvas`);
      if (bottom < 0 || top > height) continue;
      if (left < -1 || right > width + 1 || top < -1) wrong.push(`cut: "${text}" on a canvas`);
    }
    return wrong;
  };

  // Bars of one chart are compared by eye: they begin and end together.
  const checkBars = bars => {
    const tracks = [...bars.querySelectorAll('.track')].map(track => track.getBoundingClientRect());
    return tracks.some(box => Math.abs(box.left - tracks[0].left) > 1 || Math.abs(box.width - tracks[0].width) > 1)
      ? ['bars of one chart differ in place or length of their tracks'] : [];
  };

  window.looksWrong = () => {
    found = new Map();
    const panel = document.querySelector('main:not([hidden])'), root = document.documentElement;
    return [...new Set([root.scrollWidth > innerWidth ? `the page is ${root.scrollWidth - innerWidth} pixels too wide` : [],
      checkTexts(), [...panel.querySelectorAll('canvas')].map(checkCanvas), [...panel.querySelectorAll('.bars')].map(checkBars)].flat(2))];
  };
})();
