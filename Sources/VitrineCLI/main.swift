import Vitrine
import VitrineGPU

print(gpuVersion())
