// All that placing things by a tap needs, to copy from. main.swift beside it only opens the recording, and a window or a folder for pictures.
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
    var count = 0
    view.onTap = { [unowned view] point, frame in
        // Where it is known where the camera is, a place has a meaning.
        guard frame.camera.trackingState == .normal else { return }

        // From the point of the view to the point of the picture, and the ray through it.
        let place = frame.imagePoint(at: point, orientation: view.orientation, viewportSize: view.size)
        let planes = frame.raycast(frame.raycastQuery(from: place, allowing: .existingPlaneGeometry, alignment: .any))
        let guesses = frame.raycast(frame.raycastQuery(from: place, allowing: .estimatedPlane, alignment: .any))
        let hit = planes.first ?? guesses.first
        let ahead = frame.camera.transform * Matrix4(translation: [0, 0, -0.3])

        // The anchor stays where it is put, and the cube with it.
        let anchor = ARAnchor(name: "cube \(count)", transform: hit?.worldTransform ?? ahead)
        do { try session.add(anchor: anchor) } catch { return view.onFailure(error) }
        view.content.attach(makeCube(count), to: anchor, standsOnGround: hit != nil)
        count += 1
        print("cube \(count) \(hit == nil ? "in the air" : "on a surface") at \(anchor.transform.translation)")
    }
    return view
}
