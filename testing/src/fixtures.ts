export { fixture, NO_FIXTURES } from '../../dataset/dist/test/fixtures.js';
