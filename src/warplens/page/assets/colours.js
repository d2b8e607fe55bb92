// Colours of classes, the same on every page, and the light and dark theme.
const kPalette = {
  light: ['#3b6fb6', '#c98a1b', '#3d8f5f', '#8c4fa3', '#27868c', '#b5483c', '#6a7fd1', '#9a7b2d', '#5f9e3a', '#b05c93',
          '#4f8fbf', '#c26b4a'],
  dark: ['#6ea3ea', '#e3b04b', '#69bd8b', '#bd86d6', '#56bcc2', '#e57f73', '#97a8f0', '#cbb063', '#93cc6e', '#da8fc0',
         '#85bde6', '#eb9b7c'],
};
const kFixed = {
  unrecognised: '#8a8f98', step: '#7d8794', range: '#93a1b3', operator: '#7a8fb0', 'CUDA call': '#b59a63',
  synchronization: '#b5483c', Python: '#7a9a6b',
};
// Places in the palette of the classes that warplens knows; those of a user's own rules take the others.
const kPlaces = { gemm: 0, elementwise: 1, normalisation: 2, attention: 3, reduction: 4, convolution: 6, copy: 7, optimizer: 8,
  embedding: 9, communication: 10, other: 11 };
const themeListeners = [];
const onThemeChange = listener => themeListeners.push(listener);
const isDark = () => document.documentElement.dataset.theme === 'dark';
const cssColour = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

const setTheme = dark => {
  document.documentElement.dataset.theme = dark ? 'dark' : 'light';
  for (const listener of themeListeners) listener();
};

// One colour a class; idle time is drawn pale, since nothing happens there.
const palette = () => kPalette[isDark() ? 'dark' : 'light'];
const knownColour = name => Object.hasOwn(kPlaces, name) ? palette()[kPlaces[name]] : Object.hasOwn(kFixed, name) ? kFixed[name] : null;
const classColours = classes => {
  const free = kPalette.light.map((_, k) => k).filter(k => !Object.values(kPlaces).includes(k) || k > kPlaces.optimizer);
  let next = 0;
  return classes.map(name => {
    if (name.startsWith('idle: ')) return isDark() ? '#4a4f58' : '#d3d7de';
    return knownColour(name) || palette()[free[next++ % free.length]];
  });
};

// Black or white text, whichever stands out more from an opaque colour: at least 4.58:1 (the contrast of WCAG 2).
const kInks = ['#000000', '#ffffff'], inkOf = new Map();
const luminance = hex => [[1, 0.2126], [3, 0.7152], [5, 0.0722]].reduce((sum, [at, weight]) => {
  const share = parseInt(hex.slice(at, at + 2), 16) / 255;
  return sum + weight * (share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4);
}, 0);
const contrast = (a, b) => (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
const textOn = (context, colour) => {
  if (!inkOf.has(colour)) {
    const before = context.fillStyle;
    context.fillStyle = colour;
    const own = luminance(context.fillStyle);  // canvases give every opaque colour back as #rrggbb
    context.fillStyle = before;
    inkOf.set(colour, kInks.reduce((best, ink) => contrast(luminance(ink), own) > contrast(luminance(best), own) ? ink : best));
  }
  return inkOf.get(colour);
};

// Between two colours #rrggbb; share 0 is the first.
const mixed = (from, to, share) => '#' + [1, 3, 5].map(at => {
  const [a, b] = [from, to].map(hex => parseInt(hex.slice(at, at + 2), 16));
  return Math.round(a + (b - a) * share).toString(16).padStart(2, '0');
}).join('');
