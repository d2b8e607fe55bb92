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
const themeListeners = [];
const onThemeChange = listener => themeListeners.push(listener);
const isDark = () => document.documentElement.dataset.theme === 'dark';
const cssColour = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

const setTheme = dark => {
  document.documentElement.dataset.theme = dark ? 'dark' : 'light';
  for (const listener of themeListeners) listener();
};

// One colour a class; idle time is drawn pale, since nothing happens there.
const classColours = classes => {
  const palette = kPalette[isDark() ? 'dark' : 'light'];
  let next = 0;
  return classes.map(name => {
    if (name.startsWith('idle: ')) return isDark() ? '#4a4f58' : '#d3d7de';
    return kFixed[name] || palette[next++ % palette.length];
  });
};

// Nodes of flame graphs have no class: a name has always the same warm colour.
const nameColour = name => {
  let hash = 0;
  for (let i = 0; i < name.length; ++i) hash = (hash * 31 + name.charCodeAt(i)) | 0;
  const hue = 12 + Math.abs(hash) % 40, light = isDark() ? 40 + Math.abs(hash >> 8) % 10 : 66 + Math.abs(hash >> 8) % 12;
  return `hsl(${hue} 62% ${light}%)`;
};
