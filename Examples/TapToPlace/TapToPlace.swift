// Placing objects by a tap, to copy from. main.swift only opens the recording, and a window or a folder for images.
//
// The reference's number: an anchor 0.3 m in front of the camera, camera.transform × translate(0, 0, −0.3). Differences: the cube goes to the surface
// under the finger if there is one, and is drawn with the renderer for whole scenes; `ARRenderer` draws as the reference does.
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

/// Shows what the session sees. A tap drops a cube: on the surface that was hit, or 0.3 m ahead of the camera where there is none.
@MainActor func makeView(_ session: ARSession) -> ARSceneView {
    let view = ARSceneView(session)
    view.preloadedNodes = [makeCube(0)]
    var count = 0
    view.onTap = { [unowned view] point, frame in
        // Where it is known where the camera is, a place has a meaning.
        guard frame.camera.trackingState == .normal else { return }

        // A ray through the point meets a plane that was found, or a surface guessed from points; else the place is 0.3 m ahead of the camera.
        let target = frame.tapTarget(at: point, orientation: view.orientation, viewportSize: view.size)

        // The anchor stays where it is put, and the cube with it.
        let anchor = ARAnchor(name: "cube \(count)", transform: target.transform)
        do { try session.add(anchor: anchor) } catch { return view.onFailure(error) }
        view.content.attach(makeCube(count), to: anchor, standsOnGround: target.isOnSurface)
        count += 1
        print("cube \(count) \(target.isOnSurface ? "on a surface" : "in the air") at \(anchor.transform.translation)")
    }
    return view
}
