import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ConnectionType } from '../record.ts';
import { NAME_RULES_AS_OF, roleByName } from './name-rules.ts';

type Row = readonly [name: string, role: ConnectionType | undefined];
type HandleRow = readonly [what: string, name: string, handle: string, role: ConnectionType | undefined];

const TABLES: Readonly<Record<string, readonly Row[]>> = {
  'education, in many languages': [
    ['Example State University', 'education'],
    ['Universidad de Ejemplo', 'education'],
    ['UNIVERSIDADE FEDERAL DO EXEMPLO', 'education'],
    ["Universita' degli Studi di Esempio", 'education'],
    ['Université de Exempleville', 'education'],
    ['Universität Beispielstadt', 'education'],
    ['Universiteit Voorbeeld', 'education'],
    ['Uniwersytet Przykładowy', 'education'],
    ['Példa Egyetem', 'education'],
    ['Esimerkin yliopisto', 'education'],
    ['Sveučilište u Primjeru', 'education'],
    ['Univerzita Příklad', 'education'],
    ['Vysoké učení technické v Příkladu', 'education'],
    ['Örnek Üniversitesi', 'education'],
    ['Universitas Contoh', 'education'],
    ['Đại học Ví dụ', 'education'],
    ['Rei Daigaku', 'education'],
    ['Fachhochschule Musterhausen', 'education'],
    ['Kungliga Exempelhögskolan', 'education'],
    ['Politechnika Przykładowa', 'education'],
    ['Politecnico di Esempio', 'education'],
    ['Example Institute of Technology', 'education'],
    ['Academy of Sciences of Example', 'education'],
    ['École supérieure de Exemple', 'education'],
    ['Lycée Exemple', 'education'],
    ['Example Unified School District', 'education'],
    ['Example Independent ISD', 'education'],
    ['Example Community College', 'education'],
    ['Example Research and Education Network', 'education'],
    ['SEKOLAH TINGGI CONTOH', 'education'],
    ['Example Vishwavidyalaya', 'education'],
    ['Ministry of Education Computer Center', 'education'],
  ],
  'education words that mislead': [
    ['University Federal Credit Union', 'business'],
    ['Example University Hospital', 'business'],
    ['Universitätsklinikum Beispielstadt', 'business'],
    ['American College of Examples', undefined],
    ['School Specialty, Inc.', undefined],
    ['Example Institute, Inc.', undefined],
    ['Academy Sports & Outdoors', undefined],
    ['Colegio de Abogados de Ejemplo', undefined],
    ['Belnet Primer s.r.o.', undefined],
    ['State Academic Theatre of Example', undefined],
    ['City of University Heights', 'business'],
  ],
  'mobile only beside a word of telephony': [
    ['Example Mobile Telecommunications Company', 'mobile'],
    ['Example Mobile Communications Ltd', 'mobile'],
    ['Mobile Telephone Networks Example', 'mobile'],
    ['Telefonica Moviles Ejemplo S.A.', 'mobile'],
    ['Telefónica Celular de Ejemplo', 'mobile'],
    ['Example Cellular Inc', 'mobile'],
    ['ZAO "Example-GSM"', 'mobile'],
    ['T-Mobile USA, Inc.', 'mobile'],
    ['Digicel Example Ltd', 'mobile'],
    ['Example Mobile Telecom LLC', undefined],
    ['Example Cellular Private Limited', undefined],
    ['Example Mobile Ltd', undefined],
    ['Example Mobile Solutions Pvt Ltd', undefined],
    ['Creative Mobile Marketing GmbH', undefined],
    ['Exxon Mobil Corporation', undefined],
    ['Beispiel Automobile AG', undefined],
    ['Mobile County Public Schools', 'education'],
    ['City of Mobile', undefined],
    ['Mobile Medical Response Inc', undefined],
    ['Institute for Stem Cell Examples', undefined],
    ['China Mobile Communications Corporation', undefined],
    ['Vodafone Example GmbH', undefined],
    ['Example Wireless Logic Limited', undefined],
  ],
  'datacenter, in many languages': [
    ['Example Web Hosting Ltd', 'datacenter'],
    ['examplehosting.com B.V.', 'datacenter'],
    ['SuperHost LLC', 'datacenter'],
    ['Hébergement Exemple SAS', 'datacenter'],
    ['Hospedagem Exemplo Ltda', 'datacenter'],
    ['Centro de Datos Ejemplo S.L.', 'datacenter'],
    ['Örnek Sunucu Hizmetleri', 'datacenter'],
    ['Example VPS House', 'datacenter'],
    ['Example Dedicated Servers', 'datacenter'],
    ['Example Data Center, Inc.', 'datacenter'],
    ['Example Datacentre Pty Ltd', 'datacenter'],
    ['Example Colocation LLC', 'datacenter'],
    ['Example Cloud Services Ltd', 'datacenter'],
    ['ExampleCloud Limited', 'datacenter'],
    ['AntiDDoS Example LLC', 'datacenter'],
    ['Example Provincial IDC network', 'datacenter'],
    // 'Hosting' outweighs 'Telecom': such firms were hosters wherever it could be checked.
    ['Example Telecom & Hosting Ltda', 'datacenter'],
  ],
  'datacenter words that mislead': [
    ['St. Cloud State University', 'education'],
    ['City of St. Cloud', 'business'],
    ['Cloud Example Telecom Ltda', 'residential'],
    ['Cloudexample Broadband Pvt Ltd', 'residential'],
    ['Example Cloud Communications Inc', undefined],
    ['Example Hosted Services Ltd.', undefined],
    ['Elderhostel, Inc.', undefined],
    ['Ghost Example GmbH', undefined],
    ['Wasserversorgung Beispiel', undefined],
    ['Example Observer Media', undefined],
    ['Kommunales Rechenzentrum Beispiel', undefined],
    ['National Bank of Example Data Center', 'business'],
    ['Colorado Example, Inc.', undefined],
  ],
  'residential, in many languages': [
    ['Example Rural Telephone Cooperative, Inc.', 'residential'],
    ['Example Cable TV Inc', 'residential'],
    ['Example Broadband LLC', 'residential'],
    ['Example Fiber', 'residential'],
    ['Example Fibre Networks Ltd', 'residential'],
    ['Example Wireless Internet LLC', 'residential'],
    ['Exemplo Net Telecom', 'residential'],
    ['EXEMPLO TELECOMUNICAÇÕES LTDA', 'residential'],
    ['Exemplo Provedor de Internet Ltda', 'residential'],
    ['Exemplo Banda Larga', 'residential'],
    ['JOAO EXEMPLO DA SILVA - ME', 'residential'],
    ['EXEMPLONET COMERCIO E SERVICOS EIRELI', 'residential'],
    ['Exemplolink Informatica Ltda', 'residential'],
    ['EJEMPLO TELECOMUNICACIONES S.A.S.', 'residential'],
    ['Cooperativa de Electricidad y Servicios Publicos de Ejemplo Ltda.', 'residential'],
    ['Fibra Óptica Ejemplo S.L.', 'residential'],
    ['Stadtwerke Musterstadt GmbH', 'residential'],
    ['Kabelfernsehen Beispiel AG', 'residential'],
    ['Deutsche Musterglasfaser GmbH', 'residential'],
    ['Exempel Bredband AB', 'residential'],
    ['Eksempel Antenneforening', 'residential'],
    ['Esimerkin Puhelin Oy', 'residential'],
    ['Przykładowa Telewizja Kablowa Sp. z o.o.', 'residential'],
    ['Spółdzielnia Mieszkaniowa Przykład', 'residential'],
    ['Kabelová televize Příklad, s.r.o.', 'residential'],
    ['LLC "Primer Telecom"', 'residential'],
    ['Primerskie Kabelnye Seti Ltd.', 'residential'],
    ['Uralprimerskie Seti LLC', 'residential'],
    ['PT Contoh Jaringan Nusantara', 'residential'],
    ['PT. Contohnet Media', 'residential'],
    ['Example Internet Services Pvt Ltd', 'residential'],
    ['Example Company for Internet Services Ltd.', 'residential'],
    ['Exampur Online', 'residential'],
    ['Exampur Communication', 'residential'],
    ['Exampur Dot Net', 'residential'],
    ['Example ISP LLC', 'residential'],
  ],
  'residential words that mislead': [
    ['Telecommunications Regulatory Authority of Example', 'business'],
    ['Ministry of Posts and Telecommunications', 'business'],
    ['Example Internet Exchange', 'business'],
    ['Example Telecom Consulting Ltd', 'business'],
    ['Exemple Telecom SAS', undefined],
    ['Voorbeeld Telecom B.V.', undefined],
    ['China Telecom', undefined],
    ['Softbank Example Corp.', undefined],
    ['Submarine Cable Example Ltd', undefined],
    ['Cable News Example', undefined],
    ['Crown Castle Fiber LLC', undefined],
    ['example.net LLC', undefined],
    ['Example.Net', undefined],
    ['Example Communications, Inc.', undefined],
    ['Example Networks Ltd', undefined],
    ['Example Solutions GmbH', undefined],
    ['Agence de la Communication', undefined],
    ['Örnek Telekomünikasyon Ticaret A.Ş.', undefined],
    ['Example Electric Cooperative', 'business'],
    ['Example Electric Cooperative Broadband', 'residential'],
  ],
  business: [
    ['Example National Bank', 'business'],
    ['Banco de Ejemplo S.A.', 'business'],
    ['Sparkasse Musterstadt', 'business'],
    ['Example Mutual Insurance Company', 'business'],
    ['Example County Memorial Hospital', 'business'],
    ['Ministerstvo vnitra', 'business'],
    ['Ministério da Justiça', 'business'],
    ['Pemerintah Kabupaten Contoh', 'business'],
    ['City of Exampleville', 'business'],
    ['Example City Council', 'business'],
    ['Example Metropolitan Police', 'business'],
    ['Example Airlines', 'business'],
  ],
  'a name that says nothing': [
    ['', undefined],
    ['   ', undefined],
    ['Example GmbH', undefined],
    ['AS64496', undefined],
  ],
};

describe('roleByName', () => {
  for (const [what, rows] of Object.entries(TABLES)) {
    for (const [name, role] of rows) {
      it(`${what}: ${JSON.stringify(name)} is ${role ?? 'left open'}`, () => {
        assert.equal(roleByName(name)?.role, role);
      });
    }
  }

  const WITH_HANDLE: readonly HandleRow[] = [
    ['speaks where the name is silent', 'Example GmbH', 'EXAMPLE-HOSTING-AS', 'datacenter'],
    ['speaks of a university', 'EXU', 'EXAMPLE-STATE-UNIVERSITY', 'education'],
    ['does not overrule a name', 'Universidad de Ejemplo', 'EJEMPLO-CLOUD', 'education'],
    ['ends in -NET without meaning', 'Example AG', 'EXAMPLE-NET', undefined],
    ['ends in -ISP without meaning', 'Example AG', 'EXAMPLE-ISP', undefined],
    ['ends in a country code without meaning', 'Example d.o.o.', 'EXAMPLE-ME', undefined],
    ['confirms an access provider', 'Exemplo Telecom Ltda', 'EXEMPLO-AS', 'residential'],
    ['of a data centre silences an access provider', 'Exemplo Telecom Ltda', 'EXEMPLO-IDC', undefined],
    ['of handsets silences an access provider', 'Exemplo Telecom Ltda', 'EXEMPLO-GPRS', undefined],
    ['that is empty says nothing', 'Example GmbH', '', undefined],
  ];
  for (const [what, name, handle, role] of WITH_HANDLE) {
    it(`a handle ${what}: ${name}, ${handle}`, () => {
      assert.equal(roleByName(name, handle)?.role, role);
    });
  }

  const WORDS: readonly (readonly [name: string, word: string])[] = [
    ['Universität Beispielstadt', 'universitat'],
    ['Beispielhochschule', 'beispielhochschule'],
    ['Example Data Center, Inc.', 'data center'],
    ['St. Cloud State University', 'university'],
    ['JOAO EXEMPLO - ME', 'me'],
  ];
  for (const [name, word] of WORDS) {
    it(`names the word: ${JSON.stringify(name)} by ${JSON.stringify(word)}`, () => {
      assert.equal(roleByName(name)?.word, word);
    });
  }

  it('is dated', () => {
    assert.match(NAME_RULES_AS_OF, /^\d{4}-\d{2}-\d{2}$/);
  });
});
