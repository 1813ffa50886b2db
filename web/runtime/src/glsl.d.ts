// SPDX-License-Identifier: Apache-2.0
declare module '*.glsl' {
  const text: string;
  export default text;
}
