// SceneKit's names as its users type them. scripts/check-snippets.py compiles this file: each line gives exactly the error that its comment names,
// and lines without such a comment compile.
import Foundation
import Vitrine

@MainActor func types(url: URL) throws {
    _ = SCNScene()  // expected-error {{'SCNScene' has been renamed to 'Scene'}}
    _ = SCNNode()  // expected-error {{'SCNNode' has been renamed to 'Node'}}
    _ = SCNMaterial()  // expected-error {{'SCNMaterial' has been renamed to 'Material'}}
    _ = SCNVector3(0, 1, 0)  // expected-error {{'SCNVector3' has been renamed to 'Vector3'}}
    let camera: SCNCamera? = nil  // expected-error {{'SCNCamera' has been renamed to 'Camera'}}
    let light: SCNLight? = nil  // expected-error {{'SCNLight' has been renamed to 'Light'}}
    let view: SCNView? = nil  // expected-error {{'SCNView' has been renamed to 'SceneView'}}
    let box: SCNBox? = nil  // expected-error {{'SCNBox' is unavailable: use Geometry.box(size:chamferRadius:)}}
    _ = try Scene(url: url)  // expected-error {{use try await Scene(contentsOf: url)}}
    _ = (camera, light, view, box)
}

@MainActor func scenes(scene: Scene, url: URL) async throws {
    let named = try await Scene(named: "owl.glb")
    let loaded = try await Scene(contentsOf: url)
    _ = scene.rootNode.childNode(withName: "Card", recursively: true)
    _ = scene.lightingEnvironment  // expected-error {{use environment: Environment(contentsOf: url), environment.intensity, environment.rotation}}
    _ = scene.background  // expected-error {{use environment.background: .color(…), .image(…), .environment or .transparent}}
    try scene.write(to: url)  // expected-error {{use try ModelFile.write(scene, to: url)}}
    _ = (named, loaded)
}

@MainActor func nodes(node: Node, geometry: Geometry, material: Material) {
    node.geometry = geometry  // expected-error {{use mesh = Mesh(geometry: …, material: …)}}
    _ = Node(geometry: geometry)  // expected-error {{use Node(name: …, mesh: Mesh(geometry: …, material: …))}}
    geometry.firstMaterial = material  // expected-error {{materials belong to a mesh: use node.material, or Mesh(geometry: …, material: …)}}
    geometry.materials = [material]  // expected-error {{materials belong to a mesh: use mesh.parts, or Mesh(shape: …, materials: …)}}
    _ = node.presentation  // expected-error {{use the node itself: actions and animations change its own values}}
    _ = node.boundingBox  // expected-error {{use mesh?.bounds (local frame) or worldBounds}}
    node.rotation = Vector4(0, 1, 0, 1)  // expected-error {{use orientation = Quaternion(angle: …, axis: …)}}
    node.simdPosition = [0, 1, 0]  // expected-error {{'simdPosition' has been renamed to 'position'}}
    node.simdEulerAngles = [0, 1, 0]  // expected-error {{'simdEulerAngles' has been renamed to 'eulerAngles'}}
    _ = node.convertPosition([0, 0, 0], to: nil)  // expected-error {{'convertPosition(_:to:)' has been renamed to 'convert(point:to:)'}}
    node.enumerateChildNodes { _, _ in }  // expected-error {{use childNodes, or forSubtree { node in … } for all levels}}
    node.position = [0, 1, 0]
    node.eulerAngles.y = .pi / 2
    node.opacity = 0.5
}

@MainActor func materials(material: Material, url: URL) throws {
    material.diffuse.contents = Color.white  // expected-error {{'diffuse' has been renamed to 'baseColor'}} expected-error {{use factor = color.linear for a colour, or image = try Image(contentsOf: url) for an image}}
    material.emission.contents = url  // expected-error {{use factor = color.linear for a colour, or image = try Image(contentsOf: url) for an image}}
    material.metalness.contents = 0.5  // expected-error {{use factor for a number, or image = try Image(contentsOf: url) and channel for an image}}
    material.normal.contents = "normal.png"  // expected-error {{use image = try Image(contentsOf: url)}}
    material.ambientOcclusion.factor = 1  // expected-error {{'ambientOcclusion' has been renamed to 'occlusion'}}
    material.transparency = 0.5  // expected-error {{use opacity with alphaMode = .blend}}
    material.shininess = 20  // expected-error {{'shininess' has been renamed to 'highlight.shininess'}}
    material.clearCoat.factor = 1  // expected-error {{'clearCoat' has been renamed to 'clearcoat.factor'}}
    material.lightingModel = .blinn
    material.isDoubleSided = true
    material.baseColor.image = try Image(contentsOf: url)
    material.roughness.image = try Image(contentsOf: url)
    material.roughness.intensity = 0.5
}

@MainActor func camerasAndLights(node: Node) {
    var camera = Camera()
    camera.fieldOfView = 60  // expected-error {{use projection = .perspective(fieldOfView: .degrees(…)); the angle is vertical}}
    camera.usesOrthographicProjection = true  // expected-error {{use projection = .orthographic(scale: …)}}
    camera.orthographicScale = 2  // expected-error {{use projection = .orthographic(scale: …)}}
    camera.zNear = 0.1  // expected-error {{'zNear' has been renamed to 'near'}}
    camera.zFar = 100  // expected-error {{'zFar' has been renamed to 'far'}}
    camera.wantsHDR = true  // expected-error {{rendering is always HDR: choose SceneView.options.toneMapping}}
    node.camera = camera
    var light = Light()
    light.type = .omni  // expected-error {{use kind: .point, .directional}} expected-error {{'omni' has been renamed to 'point'}}
    light.spotInnerAngle = 20  // expected-error {{use kind = .spot(inner: .degrees(…), outer: .degrees(…)); both angles are measured from the axis}}
    light.castsShadow = true
    node.light = light
}

@MainActor func actions(node: Node) {
    node.runAction(.rotateBy(x: 0, y: 2, z: 0, duration: 1))  // expected-error {{'rotateBy(x:y:z:duration:)' has been renamed to 'rotate(byX:y:z:duration:)'}}
    node.runAction(.repeatForever(.rotateBy(x: 0, y: 2, z: 0, duration: 1)))  // expected-error {{'rotateBy(x:y:z:duration:)' has been renamed to 'rotate(byX:y:z:duration:)'}}
    node.runAction(.moveBy(x: 0, y: 1, z: 0, duration: 1))  // expected-error {{use .move(by: [x, y, z], duration: …)}}
    node.runAction(.sequence([.fadeOut(duration: 1), .removeFromParentNode()]))
    node.removeAllActions()
}

@MainActor func views(scene: Scene) throws {
    let view = SceneView(scene)
    view.backgroundColor = .black  // expected-error {{use scene.environment.background = .color(…)}}
    view.antialiasingMode = 4  // expected-error {{'antialiasingMode' has been renamed to 'options.sampleCount'}}
    view.delegate = nil  // expected-error {{use onUpdate = { time in … }}}
    view.allowsCameraControl = true
    view.autoenablesDefaultLighting = true
    view.showsStatistics = true
    view.pointOfView = scene.rootNode
    _ = try view.snapshot()
    _ = try view.snapshot(width: 640, height: 480, samples: 16)
}
