"""Relax NG grammars of the exchange formats: our own wording of those parts of the specifications
that Regula writes.

Each grammar allows a subset of its format, so every document it accepts is valid in that format.
"""

from __future__ import annotations

from lxml import etree

# TBX-Basic of ISO 30042, with the element names of either edition: the order of elements, and the
# values of each category.
TBX_BASIC = """<element name="{root}" xmlns="http://relaxng.org/ns/structure/1.0" ns="{namespace}"
    datatypeLibrary="http://www.w3.org/2001/XMLSchema-datatypes">
  {attributes}<attribute name="type"><value>TBX-Basic</value></attribute><attribute name="xml:lang"/>
  <element name="{header}">
    <element name="fileDesc">
      <element name="titleStmt"><element name="title"><text/></element></element>
      <element name="sourceDesc"><oneOrMore><element name="p"><text/></element></oneOrMore></element>
    </element>
    <optional><element name="encodingDesc"><element name="p">
      <attribute name="type"><value>XCSURI</value></attribute><text/></element></element></optional>
  </element>
  <element name="text"><element name="body"><oneOrMore><element name="{concept}">
    <attribute name="id"><data type="ID"/></attribute>
    <element name="descrip"><attribute name="type"><value>subjectField</value></attribute><text/></element>
    <zeroOrMore><element name="note"><text/></element></zeroOrMore>
    <oneOrMore><element name="{language}"><attribute name="xml:lang"><data type="language"/></attribute>
      <optional><element name="descripGrp">
        <element name="descrip"><attribute name="type"><value>definition</value></attribute><text/></element>
        <element name="admin"><attribute name="type"><value>source</value></attribute><text/></element>
      </element></optional>
      <oneOrMore><element name="{term}">
        <element name="term"><data type="token"><param name="minLength">1</param></data></element>
        <element name="termNote"><attribute name="type"><value>termType</value></attribute>
          <choice><value>fullForm</value><value>abbreviation</value><value>variant</value></choice></element>
        <optional><element name="termNote"><attribute name="type"><value>partOfSpeech</value></attribute>
          <choice><value>noun</value><value>verb</value><value>adjective</value><value>adverb</value></choice></element></optional>
        <element name="termNote"><attribute name="type"><value>administrativeStatus</value></attribute>
          <choice><value>preferredTerm-admn-sts</value><value>admittedTerm-admn-sts</value></choice></element>
        <zeroOrMore><element name="admin"><attribute name="type"><value>source</value></attribute><text/></element></zeroOrMore>
        <optional><element name="note"><text/></element></optional>
      </element></oneOrMore>
    </element></oneOrMore>
  </element></oneOrMore></element></element>
</element>"""
OF_2008 = {"root": "martif", "namespace": "", "attributes": "", "header": "martifHeader"}
OF_2008 |= {"concept": "termEntry", "language": "langSet", "term": "tig"}
OF_2019 = {"root": "tbx", "namespace": "urn:iso:std:iso:30042:ed-2", "header": "tbxHeader"}
OF_2019 |= {"attributes": '<attribute name="style"><value>dca</value></attribute>'}
OF_2019 |= {"concept": "conceptEntry", "language": "langSec", "term": "termSec"}

# TMX 1.4b with plain text only: a segment contains no elements.
TMX = """<element name="tmx" xmlns="http://relaxng.org/ns/structure/1.0" datatypeLibrary="http://www.w3.org/2001/XMLSchema-datatypes">
  <attribute name="version"><value>1.4</value></attribute>
  <element name="header">
    <attribute name="creationtool"><data type="token"><param name="minLength">1</param></data></attribute>
    <attribute name="creationtoolversion"><data type="token"><param name="minLength">1</param></data></attribute>
    <attribute name="segtype"><choice>
      <value>block</value><value>paragraph</value><value>sentence</value><value>phrase</value></choice></attribute>
    <attribute name="o-tmf"><text/></attribute>
    <attribute name="adminlang"><data type="language"/></attribute>
    <attribute name="srclang"><choice><data type="language"/><value>*all*</value></choice></attribute>
    <attribute name="datatype"><value>plaintext</value></attribute>
    <zeroOrMore><choice><element name="note"><text/></element>
      <element name="prop"><attribute name="type"><data type="NMTOKEN"/></attribute><text/></element></choice></zeroOrMore>
  </element>
  <element name="body"><zeroOrMore><element name="tu">
    <attribute name="tuid"><data type="string"><param name="pattern">\\S+</param></data></attribute>
    <optional><attribute name="segtype"><value>paragraph</value></attribute></optional>
    <zeroOrMore><choice><element name="note"><text/></element>
      <element name="prop"><attribute name="type"><data type="NMTOKEN"/></attribute><text/></element></choice></zeroOrMore>
    <oneOrMore><element name="tuv">
      <attribute name="xml:lang"><data type="language"/></attribute>
      <zeroOrMore><element name="prop"><attribute name="type"><data type="NMTOKEN"/></attribute><text/></element></zeroOrMore>
      <element name="seg"><text/></element>
    </element></oneOrMore>
  </element></zeroOrMore></element>
</element>"""


def faults(grammar: str, document: etree._Element) -> list[str]:
    """Return the parts of ``document`` that the Relax NG ``grammar`` does not allow."""
    schema = etree.RelaxNG(etree.fromstring(grammar))
    schema.validate(document)
    return [f"{fault.line}: {fault.message}" for fault in schema.error_log]


# XLIFF 2.1 of OASIS with its metadata and glossary modules: the parts that Regula writes, and the
# constraints that the specification adds to its schema (a segment that is not initial has a target,
# a glossary entry has a translation, a sub-state has a prefix).
XLIFF = """<element name="xliff" xmlns="http://relaxng.org/ns/structure/1.0" ns="urn:oasis:names:tc:xliff:document:2.0"
    datatypeLibrary="http://www.w3.org/2001/XMLSchema-datatypes">
  <attribute name="version" ns=""><value>2.1</value></attribute>
  <attribute name="srcLang" ns=""><data type="language"/></attribute><attribute name="trgLang" ns=""><data type="language"/></attribute>
  <element name="file">
    <attribute name="id" ns=""><data type="NMTOKEN"/></attribute><attribute name="original" ns=""/>
    <attribute name="xml:space"><value>preserve</value></attribute>
    {metadata}{notes}
    <oneOrMore><element name="group">
      <attribute name="id" ns=""><data type="NMTOKEN"/></attribute><attribute name="name" ns=""/>
      <oneOrMore><element name="unit">
        <attribute name="id" ns=""><data type="NMTOKEN"/></attribute>
        <optional><element name="glossary" ns="urn:oasis:names:tc:xliff:glossary:2.0"><oneOrMore><element name="glossEntry">
          <element name="term"><text/></element><element name="translation"><text/></element>
        </element></oneOrMore></element></optional>
        {metadata}<optional>{notes}</optional>
        <oneOrMore><element name="segment">
          <attribute name="id" ns=""><data type="NMTOKEN"/></attribute>
          <attribute name="subState" ns=""><data type="string"><param name="pattern">[^:]+:[^:]+</param></data></attribute>
          <choice>
            <group><attribute name="state" ns=""><value>initial</value></attribute>
              <element name="source"><text/></element><optional><element name="target"><text/></element></optional></group>
            <group><attribute name="state" ns="">
                <choice><value>translated</value><value>reviewed</value><value>final</value></choice></attribute>
              <element name="source"><text/></element><element name="target"><text/></element></group>
          </choice>
        </element></oneOrMore>
      </element></oneOrMore>
    </element></oneOrMore>
  </element>
</element>""".format(
    metadata="""<element name="metadata" ns="urn:oasis:names:tc:xliff:metadata:2.0"><element name="metaGroup">
      <attribute name="category" ns=""/><oneOrMore><element name="meta"><attribute name="type" ns=""/><text/></element></oneOrMore>
    </element></element>""",
    notes="""<element name="notes"><oneOrMore><element name="note"><attribute name="id" ns=""><data type="NMTOKEN"/></attribute>
      <attribute name="category" ns=""/><text/></element></oneOrMore></element>""",
)
