import VitrineLayers
import VitrineMath
import VitrineScene
import VitrineWindow

// SceneKit's type names. Their use is an error that names the replacement. docs/migration/scenekit.md has the whole table.

@available(*, unavailable, renamed: "Scene") public typealias SCNScene = Scene
@available(*, unavailable, renamed: "Node") public typealias SCNNode = Node
@available(*, unavailable, renamed: "Geometry") public typealias SCNGeometry = Geometry
@available(*, unavailable, renamed: "Material") public typealias SCNMaterial = Material
@available(*, unavailable, renamed: "Light") public typealias SCNLight = Light
@available(*, unavailable, renamed: "Camera") public typealias SCNCamera = Camera
@available(*, unavailable, renamed: "Action") public typealias SCNAction = Action
@available(*, unavailable, renamed: "SceneView") public typealias SCNView = SceneView
@available(*, unavailable, renamed: "Vector3") public typealias SCNVector3 = Vector3
@available(*, unavailable, renamed: "Vector4") public typealias SCNVector4 = Vector4
@available(*, unavailable, renamed: "Matrix4") public typealias SCNMatrix4 = Matrix4
@available(*, unavailable, renamed: "Quaternion") public typealias SCNQuaternion = Quaternion
@available(*, unavailable, message: "use Geometry.box(size:chamferRadius:)") public typealias SCNBox = Geometry
@available(*, unavailable, message: "use Geometry.sphere(radius:)") public typealias SCNSphere = Geometry
@available(*, unavailable, message: "use Geometry.plane(width:height:)") public typealias SCNPlane = Geometry
@available(*, unavailable, message: "use Geometry.cylinder(radius:height:)") public typealias SCNCylinder = Geometry
@available(*, unavailable, message: "use Geometry.floor(), or Node.shadowReceiver(under:) for a floor that shows only shadows")
public typealias SCNFloor = Geometry
@available(*, unavailable, message: "use Geometry.text(_:style:depth:bevel:)") public typealias SCNText = Geometry
@available(*, unavailable, message: "use Geometry.extruded(_:depth:bevel:)") public typealias SCNShape = Geometry
