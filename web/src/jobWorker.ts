// SPDX-License-Identifier: Apache-2.0
// Does one long job of the page in WebAssembly.
import type { JobCall, JobReply, Step } from './jobRunner';
import { loadModule } from './wasm';

const MOST_A_SECOND = 20;

function tell(reply: JobReply, move: Transferable[] = []): void {
  self.postMessage(reply, { transfer: move });
}

self.onmessage = async (event: MessageEvent<JobCall>) => {
  const { base, threads, request, files } = event.data;
  try {
    tell({ step: { stage: 'Loading', fraction: 0 } });
    const sinew = await loadModule(base, threads);
    let last = 0;
    sinew.onProgress((stage, fraction) => {
      const now = performance.now();
      if (now - last < 1000 / MOST_A_SECOND) return;
      last = now;
      tell({ step: { stage, fraction } satisfies Step });
    });
    const { name, bytes, text } = sinew.run(request, files);
    tell({ result: { name, bytes, text } }, [bytes.buffer]);
  } catch (error) {
    tell({ error: error instanceof Error ? error.message : String(error) });
  }
};
