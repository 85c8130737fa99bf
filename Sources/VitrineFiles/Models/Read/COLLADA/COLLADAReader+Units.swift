import VitrineMath
import VitrineScene

extension COLLADAReader {
    /// Metres a unit; 1 where the file says nothing.
    func unit(_ asset: XMLElement?) -> Float {
        guard let unit = asset?.child("unit"), let text = unit["meter"] ?? unit["meters"] else { return 1 }
        guard let metres = Float(text.replacing(",", with: ".")), metres > 1e-12, metres < 1e12 else {
            warn(unit, "a unit of \"\(text.prefix(40))\" metres: 1 is taken")
            return 1
        }
        return metres
    }

    /// +Y up from the axes of an asset.
    private func turn(_ asset: XMLElement?) -> Matrix3 {
        switch asset?.child("up_axis")?.text {
        case "Z_UP": Matrix3(Vector3(1, 0, 0), Vector3(0, 0, -1), Vector3(0, 1, 0))
        case "X_UP": Matrix3(Vector3(0, 1, 0), Vector3(-1, 0, 0), Vector3(0, 0, 1))
        default: .identity
        }
    }

    func worldFromFile(_ asset: XMLElement?) -> Matrix4 {
        let turn = turn(asset)
        let metres = unit(asset)
        return Matrix4(Matrix3(turn.x * metres, turn.y * metres, turn.z * metres))
    }

    /// How a camera with axes of its own stands in its node; nil where they are the same as around it. It looks along what goes into the
    /// picture with those axes: for +Z up that is +Y (COLLADA 1.4.1, `up_axis`).
    func turn(ofCamera camera: XMLElement) -> Matrix4? {
        guard let asset = camera.child("asset"), asset.child("up_axis") != nil else { return nil }
        let linear = turn(asset).transpose * turn(camera.tree.root.child("asset"))
        return linear == .identity ? nil : Matrix4(linear)
    }

    /// From the units and axes of an element that has its own to those around it; nil where they are the same.
    func change(of element: XMLElement) throws(ModelFileError) -> Matrix4? {
        guard let asset = element.child("asset") else { return nil }
        var around: XMLElement?
        var parent = element.parent
        while let current = parent, around == nil { (around, parent) = (current.child("asset"), current.parent) }
        // What an asset doesn't say is as around it.
        let scale = asset.child("unit") == nil ? 1 : unit(asset) / unit(around)
        var linear = asset.child("up_axis") == nil ? Matrix3.identity : turn(around).transpose * turn(asset)
        linear = Matrix3(linear.x * scale, linear.y * scale, linear.z * scale)
        return linear == .identity ? nil : Matrix4(linear)
    }
}
