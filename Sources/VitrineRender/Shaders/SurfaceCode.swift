/// The whole surface shader in one module: entry points `transformVertex`, `drawSurface`, `drawMasked`, `drawMaskedCoverage`,
/// `coverPicture`, `drawSky`.
let surfaceCode =
    frameShader + srgbShader + EnvironmentShader.code(group: 0, firstBinding: FrameBindings.environment) + materialShader + vertexShader
    + surfaceStructShader + occlusionShader + microfacetShader + reflectanceShader + environmentLightShader + lightShader
    + toneMappingShader + debugShader + surfaceShader + backgroundShader
