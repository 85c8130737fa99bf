// Places objects by a tap; copy from here. main.swift only opens the recording, and a window or a folder for images.
//
// Without a surface, the anchor is 0.3 m in front of the camera: camera.transform × translate(0, 0, −0.3), as in the ARKit template. Unlike there, the
// cube is placed on a surface under the finger if there is one, and `ARSceneView` draws whole scenes; `ARRenderer` draws like the template.
import Vitrine
import VitrineAR
import VitrineARView

/// A cube of 10 cm that stands on its node's origin.
@MainActor func makeCube(_ number: Int) -> Node {
    let colors: [UInt32] = [0xE4572E, 0x2E86AB, 0xF2B134, 0x3BA55D]
    let paint = Material(baseColor: Color(sRGB: colors[number % colors.count]), roughness: 0.35)
    let box = Node(mesh: Mesh(geometry: .box(size: Vector3(repeating: 0.1), chamferRadius: 0.006), material: paint))
    box.position = [0, 0.05, 0]
    let cube = Node(name: "cube")
    cube.addChildNode(box)
    return cube
}

/// Shows the camera image. A tap places a cube on the surface under the finger, or 0.3 m ahead of the camera without one.
@MainActor func makeView(_ session: ARSession) -> ARSceneView {
    let view = ARSceneView(session)
    view.preloadedNodes = [makeCube(0)]
    var count = 0
    view.onTap = { [unowned view] point, frame in
        // Without normal tracking, positions are unknown.
        guard frame.camera.trackingState == .normal else { return }

        // The ray through the point hits a detected plane or a surface estimated from points; else the target is 0.3 m ahead of the camera.
        let target = frame.tapTarget(at: point, orientation: view.orientation, viewportSize: view.size)

        // The cube follows the anchor, which stays fixed in the world. On an estimated surface it moves onto the plane once that is detected.
        let anchor = ARAnchor(name: "cube \(count)", transform: target.transform, estimatedFrom: target.estimatedFrom)
        do { try session.add(anchor: anchor) } catch { return view.onFailure(error) }
        view.content.attach(makeCube(count), to: anchor, standsOnGround: target.isOnSurface)
        count += 1
        print("cube \(count) \(target.isOnSurface ? "on a surface" : "in the air") at \(anchor.transform.translation)")
    }
    return view
}
