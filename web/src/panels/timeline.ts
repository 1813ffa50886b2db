// SPDX-License-Identifier: Apache-2.0
// Clips: which, play, scrub, speed, loop.
import type { App } from '../app';
import { formatNumber } from '../numbers';
import { h, setText, show } from '../ui/dom';
import { icon } from '../ui/icons';
import { select, setChoices } from '../ui/controls';

export function timeline(app: App): HTMLElement {
  const clip = select('Clip', [], (value) => app.pose.chooseClip(Number(value)), true);
  clip.input.dataset.role = 'clip';
  const play = h('button', {
    type: 'button',
    class: 'button round',
    'data-role': 'play',
    on: { click: () => (app.state.playing ? app.pose.pause() : app.pose.play()) },
  });
  const scrub = h('input', {
    type: 'range',
    class: 'scrubber',
    min: 0,
    max: 1,
    step: 'any',
    'aria-label': 'Time in the clip',
  });
  const time = h('output', { class: 'time' });
  const speed = select(
    'Speed',
    [0.1, 0.25, 0.5, 1, 2].map((v) => ({ value: String(v), label: `${v}×` })),
    (value) => app.store.set({ speed: Number(value) }),
    true,
  );
  const loop = h(
    'button',
    {
      type: 'button',
      class: 'tool',
      title: 'Repeat',
      'aria-label': 'Repeat',
      on: { click: () => app.store.set({ loop: !app.state.loop }) },
    },
    icon('loop'),
  );
  const duration = (): number => app.state.opened?.info.clips[app.state.clip]?.duration ?? 0;
  const seek = (): void => void app.pose.seek(scrub.valueAsNumber).catch((error) => app.notices.fail('Clip', error));
  scrub.addEventListener('input', () => {
    app.store.set({ playing: false });
    seek();
  });
  scrub.addEventListener('change', () => {
    void app.pose.edit([{ op: 'clip', clip: app.state.clip, seconds: scrub.valueAsNumber }]);
  });
  const bar = h(
    'footer',
    { class: 'timeline', 'aria-label': 'Animation' },
    clip.element,
    play,
    scrub,
    time,
    speed.element,
    loop,
  );

  app.store.on(['opened'], ({ opened }) => {
    const clips = opened?.info.clips ?? [];
    show(bar, clips.length > 0);
    setChoices(
      clip.input,
      clips.map((c, k) => ({ value: String(k), label: c.name })),
    );
  });
  app.store.on(['clip', 'opened', 'time', 'playing', 'speed', 'loop'], (state) => {
    clip.input.value = String(state.clip);
    const whole = duration();
    scrub.max = String(whole || 1);
    if (scrub.valueAsNumber !== state.time) scrub.value = String(state.time);
    scrub.style.setProperty('--part', `${whole ? (100 * state.time) / whole : 0}%`);
    setText(time, `${state.time.toFixed(2)} / ${formatNumber(whole, 2)} s`);
    const label = state.playing ? 'Pause' : 'Play';
    if (play.title !== label) {
      play.title = label;
      play.setAttribute('aria-label', label);
      play.replaceChildren(icon(state.playing ? 'pause' : 'play'));
    }
    speed.input.value = String(state.speed);
    loop.setAttribute('aria-pressed', String(state.loop));
  });
  runClock(app, duration);
  return bar;
}

/** Moves the time on while the clip plays; a frame that is still being made is waited for. */
function runClock(app: App, duration: () => number): void {
  let last = 0;
  let waiting = false;
  const tick = (now: number): void => {
    if (!app.state.playing) return;
    requestAnimationFrame(tick);
    const step = last ? Math.min(0.25, (now - last) / 1000) : 0;
    if (waiting) return;
    last = now;
    const whole = duration();
    let time = app.state.time + step * app.state.speed;
    if (time >= whole) {
      if (!app.state.loop || whole <= 0) {
        void app.pose.seek(whole).finally(() => app.pose.pause());
        return;
      }
      time %= whole;
    }
    waiting = true;
    app.pose
      .seek(time)
      .catch((error) => {
        app.pose.pause();
        app.notices.fail('Clip', error);
      })
      .finally(() => (waiting = false));
  };
  app.store.on(['playing'], ({ playing }) => {
    last = 0;
    if (playing) requestAnimationFrame(tick);
  });
}
