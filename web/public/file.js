// SPDX-License-Identifier: Apache-2.0
// Browsers run no modules from a file: the page would stay empty, and says instead what to do.
if (location.protocol === 'file:')
  document.addEventListener('DOMContentLoaded', () => {
    const text = document.createElement('p');
    text.style.cssText = 'max-width: 40em; margin: 4em auto; padding: 0 1em; font: 16px/1.5 system-ui, sans-serif';
    text.textContent =
      'sinew studio cannot run from a file, since browsers load no WebAssembly from there. Serve its folder instead: ' +
      'run python3 -m http.server in it and open http://localhost:8000. Nothing leaves this computer.';
    document.body.append(text);
  });
