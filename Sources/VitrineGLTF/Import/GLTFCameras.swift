import VitrineMath
import VitrineScene

/// Reads cameras.
enum GLTFCameras {
    static func read(_ root: GLTFRoot, _ context: GLTFContext) throws(GLTFError) -> [Camera] {
        var cameras: [Camera] = []
        for json in root.cameras {
            if json["perspective"] != nil, json["orthographic"] != nil {
                context.warn(json, "has both perspective and orthographic; type decides")
            }
            switch try json.string("type") {
            case "perspective":
                guard let values = try json.object("perspective") else { throw json.failure("perspective", "is missing") }
                cameras.append(try perspective(values, context))
            case "orthographic":
                guard let values = try json.object("orthographic") else { throw json.failure("orthographic", "is missing") }
                cameras.append(try orthographic(values, context))
            default: throw json.failure("type", "must be perspective or orthographic")
            }
        }
        return cameras
    }

    private static func perspective(_ json: JSONValue, _ context: GLTFContext) throws(GLTFError) -> Camera {
        var fieldOfView = try json.requireFloat("yfov")
        guard fieldOfView > 0 else { throw json.failure("yfov", "must be greater than 0") }
        if fieldOfView >= .pi {
            context.warn(json, "yfov is not less than π and was set to 179°")
            fieldOfView = Angle.degrees(179).radians
        }
        let near = try json.requireFloat("znear")
        guard near > 0 else { throw json.failure("znear", "must be greater than 0") }
        let far = try json.float("zfar") ?? .infinity
        guard far > near else { throw json.failure("zfar", "must be greater than znear") }
        let aspectRatio = try json.float("aspectRatio")
        if let aspectRatio, aspectRatio <= 0 { throw json.failure("aspectRatio", "must be greater than 0") }
        return Camera(projection: .perspective(fieldOfView: .radians(fieldOfView)), near: near, far: far, aspectRatio: aspectRatio)
    }

    private static func orthographic(_ json: JSONValue, _ context: GLTFContext) throws(GLTFError) -> Camera {
        let (width, height) = (try json.requireFloat("xmag"), try json.requireFloat("ymag"))
        guard width != 0, height != 0 else { throw json.failure(width == 0 ? "xmag" : "ymag", "must not be 0") }
        if width < 0 || height < 0 { context.warn(json, "xmag and ymag must be positive; their absolute values were used") }
        let (near, far) = (try json.requireFloat("znear"), try json.requireFloat("zfar"))
        guard near >= 0 else { throw json.failure("znear", "must not be negative") }
        guard far > near else { throw json.failure("zfar", "must be greater than znear") }
        return Camera(projection: .orthographic(scale: abs(height)), near: near, far: far, aspectRatio: abs(width / height))
    }
}
