// Draws the description of the API, with a form to try each call.
// swagger-ui-bundle.js and swagger-ui.css are those of swagger-ui-dist 5.31.0 from npm (Apache 2.0), unchanged:
// SHA-256 93b7b0862a80e2786f85b560be7693c2344354ffa7e7e224f850a54349724c31 and 9e576f8322132c76949da47f9bb53c891373c303ea3a761ff548ffc9de50a98c.
SwaggerUIBundle({
  url: "/openapi.json",
  dom_id: "#api",
  deepLinking: true,
  displayRequestDuration: true,
  docExpansion: "list",
  tryItOutEnabled: true,
  validatorUrl: null, // nothing is sent anywhere else
});
