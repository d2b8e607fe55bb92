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
