export { seededRandom } from '../../dataset/dist/test/seeded-random.js';
