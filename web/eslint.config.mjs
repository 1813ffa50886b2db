// SPDX-License-Identifier: Apache-2.0
import js from '@eslint/js';
import typescript from 'typescript-eslint';

export default typescript.config(
  { ignores: ['node_modules', 'runtime', 'shaders', 'tests/runtime'] },
  js.configs.recommended,
  {
    files: ['src/**/*.ts', 'tests/unit/**/*.ts'],
    extends: [typescript.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { project: './tsconfig.json', tsconfigRootDir: import.meta.dirname } },
    rules: {
      eqeqeq: 'error',
      'prefer-const': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
      '@typescript-eslint/unbound-method': 'off', // the methods of options are plain functions
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
    },
  },
  {
    files: ['tests/unit/**/*.ts'],
    rules: { '@typescript-eslint/require-await': 'off' }, // what stands in for the worker answers with promises
  },
  {
    files: ['**/*.mjs', 'public/*.js'],
    rules: { 'no-undef': 'off' }, // one file holds what runs in Node and what runs in the page
  },
);
