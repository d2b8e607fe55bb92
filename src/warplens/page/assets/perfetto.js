// Hands the trace to the Perfetto UI, as https://perfetto.dev/docs/visualization/deep-linking-to-perfetto-ui describes.
'use strict';
(() => {
  const kPerfetto = 'https://ui.perfetto.dev';
  const main = document.createElement('main'), text = document.createElement('p'), button = document.createElement('button');
  text.textContent = 'The trace stays on this machine: your browser loads the Perfetto UI from ui.perfetto.dev and gives it the trace.';
  button.textContent = 'Open in Perfetto';
  main.append(text, button);
  document.body.append(main);
  const say = words => { text.textContent = words; };
  button.addEventListener('click', async () => {
    const perfetto = window.open(kPerfetto);
    if (!perfetto) { say('The browser has blocked the window: allow it for this page, then press again.'); return; }
    const buffer = await (await fetch('trace')).arrayBuffer();
    const knock = setInterval(() => perfetto.postMessage('PING', kPerfetto), 100);
    window.addEventListener('message', event => {
      if (event.origin !== kPerfetto || event.data !== 'PONG') return;
      clearInterval(knock);
      perfetto.postMessage({ perfetto: { buffer, title: 'warplens', fileName: 'trace.json' } }, kPerfetto);
      say('Perfetto has the trace.');
    });
    setTimeout(() => say('If Perfetto shows nothing: ui.perfetto.dev cannot be reached from this browser.'), 20000);
  });
})();
