// A window with a model: drag to orbit, scroll to zoom.
//
//     swift run NAME              an object made in code
//     swift run NAME model.glb    a file: glTF, USD, COLLADA, OBJ, PLY, STL, OFF
//     swift run NAME -o view.png  an image in place of the window
import Foundation
import Vitrine

func makeScene() -> Scene {
    let scene = Scene()
    let gold = Material(name: "gold", baseColor: Color(red: 1, green: 0.82, blue: 0.5), metalness: 1, roughness: 0.25)
    let ring = Node(name: "ring", mesh: Mesh(geometry: .torus(ringRadius: 0.3, pipeRadius: 0.1), material: gold))
    ring.eulerAngles.x = 0.5
    ring.runAction(.repeatForever(.rotate(byX: 0, y: 1, z: 0, duration: 1)))
    scene.rootNode.addChildNode(ring)
    return scene
}

var arguments = Array(CommandLine.arguments.dropFirst())
var image: URL?
if let index = arguments.firstIndex(of: "-o"), index + 1 < arguments.count {
    image = URL(fileURLWithPath: arguments[index + 1])
    arguments.removeSubrange(index...index + 1)
}
let scene = if let file = arguments.first { try await Scene(contentsOf: URL(fileURLWithPath: file)) } else { makeScene() }
scene.environment = .studio()
let view = SceneView(scene)
view.allowsCameraControl = true
if let image {
    try view.snapshot(width: 960, height: 640, samples: 16).write(to: image)
} else {
    try await Window("Viewer", showing: view).run()
}
