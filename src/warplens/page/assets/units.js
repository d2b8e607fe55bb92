// Times as the terminal shows them (base/units.cpp); tests compare the two.
const threeDigits = value => {
  const magnitude = Math.abs(value);
  return value.toFixed(magnitude >= 99.95 ? 0 : magnitude >= 9.995 ? 1 : 2);
};

const formatNs = ns => {
  const units = ['ns', 'us', 'ms', 's'];
  let unit = 0, value = ns;
  while (unit + 1 < units.length && Math.abs(value) >= 999.5) { value /= 1000; ++unit; }
  const digits = unit === 0 && Number.isInteger(value) ? String(value) : threeDigits(value);
  return `${digits} ${units[unit]}`;
};

const formatShare = share => `${(100 * share).toFixed(1)} %`;

// The least of 1, 2, 5, 10, 20, ... that is as large.
const roundStep = rough => {
  const power = 10 ** Math.floor(Math.log10(rough));
  return power * [1, 2, 5, 10].find(m => m * power >= rough);
};

// Times of ticks in one unit, with as many digits as neighbours differ by.
const tickText = (tick, largest) => {
  const [unit, name] = [[1e9, 's'], [1e6, 'ms'], [1e3, 'us']].find(([ns]) => ns <= largest) || [1, 'ns'];
  const digits = Math.max(0, -Math.floor(Math.log10(tick / unit) + 1e-9));
  return time => `${(time / unit).toFixed(Math.min(digits, 9))} ${name}`;
};
