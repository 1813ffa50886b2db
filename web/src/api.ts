// SPDX-License-Identifier: Apache-2.0
// The program behind the page.

export interface FileRef {
  id: string;
  name: string;
  size: number;
}
export interface Method {
  name: string;
  summary: string;
}
/** What requests for jobs may name. */
export interface JobChoices {
  weights: Method[];
  templates: string[];
  names: string[];
  targets: string[];
}
export interface ServerSession extends JobChoices {
  version: string;
  file: FileRef | null;
  deformers: Method[];
  limits: { bytes: number };
}
export interface JointPlace {
  name: string;
  parent: number;
  position: [number, number, number];
}
/** Without its files, which the runner names. */
export type JobRequest =
  | { kind: 'rig'; template: string; weights: string; names: string; quality: string; joints?: JointPlace[] }
  | { kind: 'solve'; stiffness: string; quality: string }
  | { kind: 'export'; target: string; influences: number; helpers: number; morphs: number; keep: boolean }
  | { kind: 'retarget'; keepFeet: boolean }
  | { kind: 'reference' | 'check' };
export interface JobState {
  id: string;
  kind: string;
  state: 'running' | 'done' | 'failed' | 'cancelled';
  stage: string;
  fraction: number;
  seconds: number;
  result?: { file: string; name: string; report?: Record<string, unknown>; text?: string[] };
  error?: { code: number; message: string };
}

/** `gone`: nobody answered. */
export class ApiError extends Error {
  constructor(
    message: string,
    readonly status: number,
    readonly gone: boolean,
  ) {
    super(message);
  }
}

export class Api {
  constructor(private readonly token: string) {}

  session(): Promise<ServerSession> {
    return this.json('GET', 'api/session');
  }

  async bytes(id: string, progress?: (fraction: number) => void): Promise<Uint8Array> {
    const response = await this.fetch('GET', `api/files/${encodeURIComponent(id)}`);
    const total = Number(response.headers.get('content-length') ?? 0);
    if (!response.body || !total || !progress) return new Uint8Array(await response.arrayBuffer());
    const out = new Uint8Array(total);
    const reader = response.body.getReader();
    let at = 0;
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return out.subarray(0, at);
      out.set(value, at);
      at += value.length;
      progress(at / total);
    }
  }

  upload(name: string, bytes: Uint8Array): Promise<FileRef> {
    const body = new Blob([bytes as Uint8Array<ArrayBuffer>]);
    return this.json('POST', `api/files?name=${encodeURIComponent(name)}`, body);
  }

  async startJob(request: JobRequest & { file: string }): Promise<string> {
    const { id } = await this.json<{ id: string }>('POST', 'api/jobs', JSON.stringify(request));
    return id;
  }

  job(id: string): Promise<JobState> {
    return this.json('GET', `api/jobs/${encodeURIComponent(id)}`);
  }

  async cancelJob(id: string): Promise<void> {
    await this.fetch('DELETE', `api/jobs/${encodeURIComponent(id)}`);
  }

  private async json<T>(method: string, path: string, body?: BodyInit): Promise<T> {
    return (await (await this.fetch(method, path, body)).json()) as T;
  }

  private async fetch(method: string, path: string, body?: BodyInit): Promise<Response> {
    let response: Response;
    const headers: Record<string, string> = { 'X-Sinew-Token': this.token };
    if (typeof body === 'string') headers['Content-Type'] = 'application/json';
    else if (body) headers['Content-Type'] = 'application/octet-stream';
    try {
      response = await fetch(path, { method, body, headers });
    } catch {
      throw new ApiError('The server of this page does not respond. Is sinew studio still running?', 0, true);
    }
    if (response.ok) return response;
    const told = (await response.json().catch(() => null)) as { error?: { message?: string } } | null;
    throw new ApiError(told?.error?.message ?? `The program answered ${response.status}.`, response.status, false);
  }
}
