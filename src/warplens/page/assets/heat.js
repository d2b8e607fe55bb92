// A number for each row and column as shades of one colour; each cell says its number, too.
const drawHeatMap = block => {
  const width = block.columns.length, largest = Math.max(1, ...block.cells.map(cell => Math.abs(cell[1] || 0)));
  const said = make('p', { class: 'note', role: 'status', text: 'Point at a cell, or move with the arrow keys, to read it.' });
  let at = -1;
  const kLeft = 92, kTop = 22, kRow = Math.max(14, Math.min(26, 420 / Math.max(1, block.rows.length)));
  const canvas = makeCanvas(`${block.title}. ${block.note}`, (context, all) => {
    const cell = (all - kLeft) / Math.max(1, width), [none, faint, heat] = ['--back', '--faint', '--heat'].map(cssColour);
    context.font = '12px system-ui, sans-serif';
    context.fillStyle = cssColour('--dim');
    context.fillText(block.column_title, kLeft, 14);
    block.rows.forEach((name, r) => {
      context.fillStyle = cssColour('--text');
      context.fillText(fitText(context, name, kLeft - 12), 4, kTop + r * kRow + kRow / 2 + 4);
      // Several cells in a pixel: the largest of them shows.
      let pixel = -1, most = 0;
      for (let c = 0; c < width; ++c) {
        const value = block.cells[r * width + c][1], x = Math.floor(kLeft + c * cell);
        most = x === pixel ? Math.max(most, value || 0) : value || 0;
        pixel = x;
        const shade = value === null && !most ? none : mixed(faint, heat, Math.sqrt(Math.max(0, most) / largest));
        context.fillStyle = shade;
        context.fillRect(x, kTop + r * kRow, Math.max(1, cell - (cell > 4 ? 1 : 0)), kRow - 1);
        if (cell > 64 && kRow >= 14) {
          context.fillStyle = textOn(context, shade);
          context.fillText(fitText(context, block.cells[r * width + c][0], cell - 8), x + 4, kTop + r * kRow + kRow / 2 + 4);
        }
      }
    });
    if (at >= 0) {
      context.strokeStyle = cssColour('--accent');
      context.lineWidth = 2;
      context.strokeRect(kLeft + (at % width) * cell, kTop + Math.floor(at / width) * kRow, Math.max(2, cell), kRow - 1);
    }
  });
  canvas.style.height = `${kTop + block.rows.length * kRow + 4}px`;
  const go = next => {
    if (next < 0 || next >= block.cells.length) return;
    at = next;
    said.textContent = `${block.rows[Math.floor(at / width)]}, ${block.columns[at % width]}: ${block.cells[at][0]}`;
    canvas.redraw();
  };
  canvas.addEventListener('pointermove', event => {
    const cell = (canvas.clientWidth - kLeft) / width, c = Math.floor((event.offsetX - kLeft) / cell);
    const r = Math.floor((event.offsetY - kTop) / kRow);
    if (c >= 0 && c < width && r >= 0 && r < block.rows.length) go(r * width + c);
  });
  canvas.addEventListener('keydown', event => {
    const by = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: width, ArrowUp: -width }[event.key];
    if (!by) return;
    event.preventDefault();
    go(at < 0 ? 0 : at + by);
  });
  return make('section', { class: 'block heat' }, heading(block.title), block.note ? make('p', { class: 'note', text: block.note }) : null,
      canvas, said);
};
