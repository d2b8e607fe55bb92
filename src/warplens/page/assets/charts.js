// Bars, and quantities over time.
const drawBars = block => make('section', { class: 'block' }, heading(block.title),
    make('div', { class: 'bars' }, block.rows.map(row => {
      const bar = make('div', { class: 'fill' }), recolour = () => { bar.style.background = knownColour(row.name) || ''; };
      recolour();
      onThemeChange(recolour);
      bar.style.width = `${(100 * Math.min(1, row.share)).toFixed(2)}%`;
      return make('div', { class: 'row' }, make('span', { class: 'name', text: row.name }),
          make('div', { class: 'track' }, bar), make('span', { class: 'value', text: row.text }));
    })));

// Values that hold until the next time. In each column of pixels the least and the most are drawn, so that no peak is lost.
const traceSteps = (context, { time, value, count }, x, y, end) => {
  if (!count) return;
  context.moveTo(x(time[0]), y(value[0]));
  for (let i = 0; i < count;) {
    const at = x(time[i]), held = value[Math.max(0, i - 1)];
    let least = held, most = held;
    for (; i < count && x(time[i]) < Math.floor(at) + 1; ++i) { least = Math.min(least, value[i]); most = Math.max(most, value[i]); }
    for (const each of [held, least, most, value[i - 1]]) context.lineTo(at, y(each));
  }
  context.lineTo(end, y(value[count - 1]));
};

const drawSeries = block => {
  const end = Math.max(1, ...block.lines.map(line => line.time.length ? line.time[line.time.length - 1] : 0));
  const most = Math.max(1, block.most), left = 80, bottom = 22, top = 8;
  const canvas = makeCanvas(block.title, (context, width, height) => {
    const x = time => left + (width - left - 8) * time / end, y = value => height - bottom -
        (height - bottom - top) * value / most;
    context.font = '12px system-ui, sans-serif';
    context.fillStyle = cssColour('--dim');
    context.strokeStyle = cssColour('--line');
    for (const [value, text] of block.marks) {
      context.beginPath(); context.moveTo(left, y(value)); context.lineTo(width - 8, y(value)); context.stroke();
      context.textAlign = 'right'; context.fillText(text, left - 6, y(value) + 4);
    }
    const step = roundStep(end * 100 / (width - left)), textOf = tickText(step, end);
    context.textAlign = 'center';
    for (let time = 0; x(time) < width - 24; time += step) context.fillText(textOf(time), x(time), height - 6);
    block.lines.forEach((line, k) => {
      context.strokeStyle = kPalette[isDark() ? 'dark' : 'light'][k];
      context.setLineDash(k === 0 ? [] : [6, 3]);
      context.lineWidth = 1.5;
      context.beginPath();
      traceSteps(context, line, x, y, width - 8);
      context.stroke();
    });
    context.setLineDash([]);
  });
  return make('section', { class: 'block chart' }, heading(block.title), canvas, make('p', { class: 'note',
    text: block.lines.map((line, k) => `${line.name}${k === 0 ? ' (solid)' : ' (dashed)'}`).join(', ') }));
};
