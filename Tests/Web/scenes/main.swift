// Scenes for Tests/Web/layers_tests.py, beside those of the examples..
import Vitrine

PageScenes.add("Button") { size throws(TextError) in try makeView(size: size) {} }
PageScenes.add("Logo") { _ throws(LogoError) in try makeView() }
PageScenes.add("effect") { size throws(ShaderError) in try brokenEffect(size) }
PageScenes.add("surface") { size throws(SurfaceFunctionError) in try stripes(size, of: "missingInput") }
PageScenes.add("stripes") { size throws(SurfaceFunctionError) in try stripes(size, of: "color") }
PageScenes.add("particles") { size in brokenParticles(size) }
PageScenes.add("signature") { size throws(ShaderError) in try wrongDeclaration(size) }
