export { fixtureFeeds } from '../../dataset/dist/test/fixture-catalogue.js';
