#!/bin/sh
# Makes the assertions in this folder again: SAML 2.0 signed by xmlsec1 (libxml2, OpenSSL), which shares no code with
# the server. The script needs xmlsec1 and openssl. The tests need neither, because they read the files. The script
# deletes the private keys.
set -eu
cd "$(dirname "$0")"
keys=$(mktemp -d)
trap 'rm -rf "$keys"' EXIT

openssl req -x509 -newkey rsa:3072 -nodes -days 3650 -subj "/CN=xmlsec1 rsa" -keyout "$keys/rsa.key" -out rsa.pem 2>/dev/null
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-384 -nodes -days 3650 -subj "/CN=xmlsec1 ecdsa" \
  -keyout "$keys/ecdsa.key" -out ecdsa.pem 2>/dev/null

DSIG=http://www.w3.org/2000/09/xmldsig# EXC=http://www.w3.org/2001/10/xml-exc-c14n# MORE=http://www.w3.org/2001/04/xmldsig-more#
ENC=http://www.w3.org/2001/04/xmlenc# SAML=urn:oasis:names:tc:SAML:2.0:assertion CM=urn:oasis:names:tc:SAML:2.0:cm:bearer

# $1: id; $2: signature method; $3: digest method; $4: parameters of the canonicalization
signature() {
  cat <<XML
<ds:Signature xmlns:ds="$DSIG">
    <ds:SignedInfo>
      <ds:CanonicalizationMethod Algorithm="$EXC"/>
      <ds:SignatureMethod Algorithm="$2"/>
      <ds:Reference URI="#$1">
        <ds:Transforms>
          <ds:Transform Algorithm="${DSIG}enveloped-signature"/>
          <ds:Transform Algorithm="$EXC">$4</ds:Transform>
        </ds:Transforms>
        <ds:DigestMethod Algorithm="$3"/>
        <ds:DigestValue/>
      </ds:Reference>
    </ds:SignedInfo>
    <ds:SignatureValue/>
    <ds:KeyInfo><ds:X509Data><ds:X509Certificate/></ds:X509Data></ds:KeyInfo>
  </ds:Signature>
XML
}

# $1: file name; $2: name of the key. Reads the template from standard input.
sign() {
  xmlsec1 --sign --id-attr:ID Assertion --privkey-pem "$keys/$2.key,$2.pem" --output "$1.xml" /dev/stdin
}

# Every element has a namespace prefix, and the XML is indented.
sign prefixed rsa <<XML
<saml:Assertion xmlns:saml="$SAML" ID="_prefixed" Version="2.0" IssueInstant="2026-11-21T12:00:00Z">
  <saml:Issuer>https://rsa.test</saml:Issuer>
  $(signature _prefixed "${MORE}rsa-sha256" "${ENC}sha256" "")
  <saml:Subject>
    <saml:NameID Format="urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified">alice</saml:NameID>
    <saml:SubjectConfirmation Method="$CM">
      <saml:SubjectConfirmationData Recipient="https://login.test/token" NotOnOrAfter="2026-11-21T12:05:00Z"/>
    </saml:SubjectConfirmation>
  </saml:Subject>
  <saml:Conditions NotBefore="2026-11-21T12:00:00Z" NotOnOrAfter="2026-11-21T12:05:00Z">
    <saml:AudienceRestriction><saml:Audience>https://login.test</saml:Audience></saml:AudienceRestriction>
  </saml:Conditions>
  <saml:AuthnStatement AuthnInstant="2026-11-21T11:59:30Z">
    <saml:AuthnContext>
      <saml:AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport</saml:AuthnContextClassRef>
    </saml:AuthnContext>
  </saml:AuthnStatement>
</saml:Assertion>
XML

# The assertion's namespace is the default namespace. The signature is ECDSA.
sign default-namespace ecdsa <<XML
<Assertion xmlns="$SAML" ID="_default" Version="2.0" IssueInstant="2026-11-21T12:00:00.000Z"><Issuer>https://ecdsa.test</Issuer>$(
  signature _default "${MORE}ecdsa-sha384" "${MORE}sha384" ""
)<Subject><NameID>alice</NameID><SubjectConfirmation Method="$CM"><SubjectConfirmationData NotOnOrAfter="2026-11-21T12:05:00.000Z" Recipient="https://login.test/token"/></SubjectConfirmation></Subject><Conditions NotOnOrAfter="2026-11-21T12:05:00.000Z"><AudienceRestriction><Audience>https://login.test</Audience></AudienceRestriction></Conditions></Assertion>
XML

# Typed attributes as Shibboleth writes them. Some prefixes occur only in values, so PrefixList names them.
sign typed-attributes rsa <<XML
<saml2:Assertion xmlns:saml2="$SAML" xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" Version="2.0" IssueInstant="2026-11-21T12:00:00Z" ID="_typed">
<saml2:Issuer>https://rsa.test</saml2:Issuer>$(
  signature _typed "${MORE}rsa-sha512" "${ENC}sha512" "<ec:InclusiveNamespaces xmlns:ec=\"$EXC\" PrefixList=\"xs\"/>"
)<saml2:Subject><saml2:NameID>alice</saml2:NameID><saml2:SubjectConfirmation Method="$CM"><saml2:SubjectConfirmationData Recipient="https://login.test/token" NotOnOrAfter="2026-11-21T12:05:00Z"/></saml2:SubjectConfirmation></saml2:Subject>
<saml2:Conditions NotOnOrAfter="2026-11-21T12:05:00Z"><saml2:AudienceRestriction><saml2:Audience>https://login.test</saml2:Audience></saml2:AudienceRestriction></saml2:Conditions>
<saml2:AttributeStatement><saml2:Attribute Name="note"><saml2:AttributeValue xsi:type="xs:string">caf&#xE9; &amp; "tea" &lt; 5 o'clock</saml2:AttributeValue></saml2:Attribute></saml2:AttributeStatement>
</saml2:Assertion>
XML
